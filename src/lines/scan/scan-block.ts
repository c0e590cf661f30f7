import { RETURN } from '../../base/text/ascii.js'
import { MIB } from '../../base/units.js'
import { checkLines, MAX_LINE_BYTES } from '../../ingest/lines/check-lines.js'
import { createLineScanner } from '../../ingest/wasm/line-scanner.js'
import type { Scanner } from '../../ingest/wasm/scanner.js'
import { timestampOfNumber, timestampOfText } from '../../ingest/wasm/timestamp.js'
import {
  ABSENT,
  ESCAPED_STRING,
  FIELD_INTS,
  HEADER_INTS,
  LINE_INTS,
  NUMBER,
  STRING,
  TIMES,
} from '../../wasm-layout/field-table.js'
import * as outcome from '../../wasm-layout/outcomes.js'

/** The most bytes of a block: whole lines of a stream. A longer line is no part of a block. */
export const BLOCK_BYTES = 2 * MIB
/** Lines scanned per call. */
const SCANNED_LINES = 512

/** Why a line is no row. */
export type LineFault = 'invalid_json' | 'not_an_object' | 'too_deep' | 'invalid_utf8' | 'line_too_long'

/** The lines of a block that are objects. */
export interface ScannedBlock {
  rows: number
  /** Row r is the bytes [starts[r], ends[r]), without the line break, LF or CRLF. Valid until the next scan. */
  bytes: Buffer
  starts: Uint32Array
  ends: Uint32Array
  /** Microseconds since the epoch, not a number for a row without a time. Empty unless a field of the time is set. */
  timesUs: Float64Array
  /** The number of rows with a time that cannot be read. */
  unreadableTimes: number
  faults: ReadonlyMap<LineFault, number>
}

/** Scans blocks of lines. */
export interface BlockScanner {
  /** Scans a block of at most {@link BLOCK_BYTES}. */
  scan(block: Uint8Array): ScannedBlock
  /** Sets the field that has the time of a row. Undefined: times are not read. */
  setTimeField(name: string | undefined): void
  /** Returns the first of some fields that is in the first line that has one. Scans a block. */
  timeFieldIn(block: Uint8Array, names: readonly string[]): string | undefined
}

const FAULTS: Readonly<Record<number, LineFault>> = {
  [outcome.INVALID_JSON]: 'invalid_json',
  [outcome.NOT_AN_OBJECT]: 'not_an_object',
  [outcome.TOO_DEEP]: 'too_deep',
}

/** Offsets of the first field of the time in a row of the table. */
const TIME_KIND = HEADER_INTS + TIMES * FIELD_INTS

/** Creates a scanner with a WebAssembly module of its own. */
export function createBlockScanner(maxLineBytes = MAX_LINE_BYTES): BlockScanner {
  const scanner = createLineScanner({ capacityBytes: BLOCK_BYTES, maxLines: SCANNED_LINES, maxLineBytes })
  const rows = createRows()
  let readsTimes = false

  /** Calls `visit` with the places in the table of all lines that are objects. */
  function scanLines(block: Uint8Array, visit: (at: number) => void): Map<LineFault, number> {
    const faults = new Map<LineFault, number>()
    const count = (fault: LineFault) => void faults.set(fault, (faults.get(fault) ?? 0) + 1)
    scanner.bytes.set(block)
    checkLines(scanner, 0, block.length, 0, maxLineBytes, {
      lines(from, to) {
        for (let at = from * LINE_INTS; at < to * LINE_INTS; at += LINE_INTS) {
          const result = scanner.table[at]
          if (result === outcome.OK) visit(at)
          else if (result !== outcome.BLANK) count(FAULTS[result]!)
        }
      },
      invalidUtf8: () => count('invalid_utf8'),
      tooLong: () => count('line_too_long'),
    })
    return faults
  }

  return {
    scan(block) {
      rows.clear()
      const { table } = scanner
      const faults = scanLines(block, (at) => {
        rows.add(table[at + 1], endOfText(scanner, table[at + 2]))
        if (readsTimes) rows.addTime(timeAt(scanner, at))
      })
      return { ...rows.take(scanner), faults }
    },
    setTimeField(name) {
      readsTimes = name !== undefined
      scanner.setTimeNames(name === undefined ? [] : [name])
    },
    timeFieldIn(block, names) {
      scanner.setTimeNames(names)
      let found: string | undefined
      scanLines(block, (at) => {
        found ??= names.find((_, i) => scanner.table[at + TIME_KIND + i * FIELD_INTS] !== ABSENT)
      })
      return found
    },
  }
}

/** The end of a line's text: a carriage return before the line feed is part of the line break. */
const endOfText = ({ bytes }: Scanner, end: number): number => (bytes[end - 1] === RETURN ? end - 1 : end)

/** A line without a time. */
const NO_TIME = Number.NaN
/** A time that cannot be read. */
const UNREADABLE = Number.POSITIVE_INFINITY

/** The greatest distance of a time from the epoch, in microseconds: years 1 to 9999 are within. */
const MOST_US = 2 ** 53

/** Returns the time of a line, {@link NO_TIME} or {@link UNREADABLE}. `at` is the place of the line in the table. */
function timeAt({ table, bytes }: Scanner, at: number): number {
  const kind = table[at + TIME_KIND]
  const [start, end] = [table[at + TIME_KIND + 1], table[at + TIME_KIND + 2]]
  if (kind === ABSENT) return NO_TIME
  const us = kind === NUMBER ? timestampOfNumber(bytes, start, end) : textTime(bytes, kind, start, end)
  return Math.abs(us) < MOST_US ? us : UNREADABLE
}

function textTime(bytes: Uint8Array, kind: number, start: number, end: number): number {
  if (kind === STRING) return timestampOfText(bytes, start, end)
  if (kind !== ESCAPED_STRING) return Number.NaN
  // The byte before a text is a quote.
  const text = Buffer.from(JSON.parse(Buffer.from(bytes.subarray(start - 1, end + 1)).toString()) as string)
  return timestampOfText(text, 0, text.length)
}

/** The rows of a block, in memory that is reused. */
function createRows() {
  let starts = new Uint32Array(1024)
  let ends = new Uint32Array(1024)
  let timesUs = new Float64Array(1024)
  let rows = 0
  let times = 0
  let unreadableTimes = 0

  function grow(): void {
    const grown = <A extends Uint32Array | Float64Array>(array: A, copy: A) => {
      copy.set(array)
      return copy
    }
    starts = grown(starts, new Uint32Array(2 * rows))
    ends = grown(ends, new Uint32Array(2 * rows))
    timesUs = grown(timesUs, new Float64Array(2 * rows))
  }

  return {
    clear() {
      rows = 0
      times = 0
      unreadableTimes = 0
    },
    add(start: number, end: number) {
      if (rows === starts.length) grow()
      starts[rows] = start
      ends[rows++] = end
    },
    addTime(us: number) {
      if (us === UNREADABLE) unreadableTimes++
      timesUs[times++] = us === UNREADABLE ? NO_TIME : us
    },
    take: ({ bytes }: Scanner): Omit<ScannedBlock, 'faults'> => ({
      rows,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      starts: starts.subarray(0, rows),
      ends: ends.subarray(0, rows),
      timesUs: timesUs.subarray(0, times),
      unreadableTimes,
    }),
  }
}
