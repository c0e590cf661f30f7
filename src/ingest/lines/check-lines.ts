import { isUtf8 } from 'node:buffer'
import { KIB, MIB } from '../../base/units.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import type { Scanner } from '../wasm/scanner.js'

/** The longest accepted line, in bytes. */
export const MAX_LINE_BYTES = MIB
/** The length of the head that is kept of a line that is too long, in bytes. */
export const HEAD_BYTES = 4 * KIB

/** Receives the lines of a scanner, in their order. */
export interface LineSink {
  /**
   * Receives the lines [from, to) of the scanner's table: whole and valid UTF-8, blank lines included. The first line
   * has the number `line`, counted from 1.
   */
  lines(from: number, to: number, line: number): void
  /** Receives a line of the table that is not valid UTF-8. */
  invalidUtf8(index: number, line: number): void
  /** Receives the head of a line over the limit. */
  tooLong(head: Uint8Array, line: number): void
}

/** Returns the head of the line that starts at `start` and is too long. */
export const headAt = (bytes: Uint8Array, start: number, maxLineBytes: number): Uint8Array =>
  bytes.slice(start, start + Math.min(HEAD_BYTES, maxLineBytes))

/**
 * Scans the lines in [start, end) and passes the lines to the sink, which may replace the views of the scanner. The
 * last line needs no newline. `before` is the number of the line before the first line. Returns the number of the last
 * line. UTF-8 is checked for all lines at once, and line by line only if that fails.
 */
export function checkLines(
  scanner: Scanner,
  start: number,
  end: number,
  before: number,
  maxLineBytes: number,
  sink: LineSink,
): number {
  const areUtf8 = isUtf8(scanner.bytes.subarray(start, end))
  const areValid = areUtf8 && end - start <= maxLineBytes
  let line = before

  const lineStart = (index: number): number => scanner.table[index * LINE_INTS + 1]
  const lineEnd = (index: number): number => scanner.table[index * LINE_INTS + 2]

  /** Passes on the lines between lines that are too long or not UTF-8. */
  function checkEach(count: number): void {
    let from = 0
    for (let i = 0; i < count; i++) {
      const isTooLong = lineEnd(i) - lineStart(i) > maxLineBytes
      if (!isTooLong && (areUtf8 || isUtf8(scanner.bytes.subarray(lineStart(i), lineEnd(i))))) continue
      passOn(from, i)
      line++
      if (isTooLong) sink.tooLong(headAt(scanner.bytes, lineStart(i), maxLineBytes), line)
      else sink.invalidUtf8(i, line)
      from = i + 1
    }
    passOn(from, count)
  }

  function passOn(from: number, to: number): void {
    if (from < to) sink.lines(from, to, line + 1)
    line += to - from
  }

  for (let at = start; at < end; ) {
    const count = scanner.scan(at, end)
    if (areValid) passOn(0, count)
    else checkEach(count)
    at = lineEnd(count - 1) + 1
  }
  return line
}
