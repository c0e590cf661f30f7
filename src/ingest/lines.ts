import { isUtf8 } from 'node:buffer'
import { KIB } from '../base/units.js'
import { NEWLINE } from './bytes.js'
import { LINE_INTS, type Scanner } from './fields.js'

/** Bytes that join the working memory at a time, few enough to stay in a core's cache. */
const PIECE_BYTES = 256 * KIB

/** The working memory that lines of this length need. */
export const capacityFor = (maxLineBytes: number): number => maxLineBytes + PIECE_BYTES

/** What is kept of a line that is too long. */
export const HEAD_BYTES = 4 * KIB

export interface LineSink {
  /** A whole line that is valid UTF-8, blank ones included; its field table starts at `at`. Lines count from 1. */
  line(at: number, line: number): void
  /** A line that holds other bytes than UTF-8. */
  invalidUtf8(at: number, line: number): void
  /** A line over the limit, of which this is the head. */
  tooLong(head: Uint8Array, line: number): void
}

export interface LineReader {
  /** Reads one more chunk, of any size; what it cuts off a line waits for the next. */
  push(chunk: Uint8Array): void
  /** The last line ends here, with or without a newline. */
  end(): void
}

/**
 * Makes whole lines of chunks, in the memory of `scanner`, which has `capacityFor(maxLineBytes)` bytes. A line over
 * `maxLineBytes` (its newline not counted) is skipped in constant memory.
 */
export function createLineReader(scanner: Scanner, maxLineBytes: number, sink: LineSink): LineReader {
  const { bytes, table } = scanner
  /** The start of a cut line: bytes[0, carried). */
  let carried = 0
  let line = 0
  let skipping = false

  function push(chunk: Uint8Array): void {
    let start = 0
    while (start < chunk.length) start = skipping ? skip(chunk, start) : take(chunk, start)
  }

  /** Passes over the rest of a line that is too long; returns where in the chunk to go on. */
  function skip(chunk: Uint8Array, start: number): number {
    const newline = chunk.indexOf(NEWLINE, start)
    skipping = newline < 0
    return skipping ? chunk.length : newline + 1
  }

  /** Takes the next piece of the chunk in and judges the lines that end in it; returns where in the chunk to go on. */
  function take(chunk: Uint8Array, start: number): number {
    const end = start + Math.min(PIECE_BYTES, bytes.length - carried, chunk.length - start)
    const piece = chunk.subarray(start, end)
    bytes.set(piece, carried)
    const filled = carried + piece.length
    const whole = carried + piece.lastIndexOf(NEWLINE) + 1
    if (whole > carried) {
      judge(whole)
      bytes.copyWithin(0, whole, filled)
      carried = filled - whole
    } else carried = filled
    if (carried - markLength() > maxLineBytes) startSkipping()
    return end
  }

  function startSkipping(): void {
    skipping = true
    const start = markLength()
    sink.tooLong(headAt(start), ++line)
    carried = 0
  }

  const headAt = (start: number) => bytes.slice(start, start + Math.min(HEAD_BYTES, maxLineBytes))

  /** Judges the lines of bytes[0, end). They are mostly valid UTF-8, all of them: each on its own only where not. */
  function judge(end: number): void {
    const areUtf8 = isUtf8(bytes.subarray(0, end))
    for (let start = markLength(); start < end; ) {
      const count = scanner.scan(start, end)
      for (let i = 0; i < count; i++) judgeLine(i * LINE_INTS, areUtf8)
      start = table[(count - 1) * LINE_INTS + 2]! + 1
    }
  }

  function judgeLine(at: number, isKnownUtf8: boolean): void {
    const start = table[at + 1]!
    const end = table[at + 2]!
    line++
    if (end - start > maxLineBytes) sink.tooLong(headAt(start), line)
    else if (isKnownUtf8 || isUtf8(bytes.subarray(start, end))) sink.line(at, line)
    else sink.invalidUtf8(at, line)
  }

  /** The length of the byte order mark that may stand before the first line. */
  function markLength(): number {
    return line === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  }

  function end(): void {
    judge(carried)
    carried = 0
  }

  return { push, end }
}
