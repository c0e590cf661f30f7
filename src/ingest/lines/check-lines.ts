import { isUtf8 } from 'node:buffer'
import { KIB } from '../../base/units.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import type { Scanner } from '../wasm/scanner.js'

/** What is kept of a line that is too long. */
export const HEAD_BYTES = 4 * KIB

export interface LineSink {
  /**
   * The lines [from, to) of the scanner's table are whole and valid UTF-8, blank ones included; the first has the number
   * `line`. Lines count from 1.
   */
  lines(from: number, to: number, line: number): void
  /** A line of the table that holds other bytes than UTF-8. */
  invalidUtf8(index: number, line: number): void
  /** A line over the limit, of which this is the head. */
  tooLong(head: Uint8Array, line: number): void
}

/** The head of the line at `start`, where it is too long. */
export const headAt = (bytes: Uint8Array, start: number, maxLineBytes: number): Uint8Array =>
  bytes.slice(start, start + Math.min(HEAD_BYTES, maxLineBytes))

/**
 * Scans the lines in [start, end) and hands them over; the last needs no newline. `before` is the number of the line before
 * the first; gives that of the last. They are mostly valid UTF-8, all of them: each is looked at on its own only where not.
 */
export function checkLines(
  scanner: Scanner,
  start: number,
  end: number,
  before: number,
  maxLineBytes: number,
  sink: LineSink,
): number {
  const { bytes, table } = scanner
  const areUtf8 = isUtf8(bytes.subarray(start, end))
  const areValid = areUtf8 && end - start <= maxLineBytes
  let line = before

  const lineStart = (index: number): number => table[index * LINE_INTS + 1]!
  const lineEnd = (index: number): number => table[index * LINE_INTS + 2]!

  /** Hands over the runs between lines that are too long or not UTF-8. */
  function checkEach(count: number): void {
    let from = 0
    for (let i = 0; i < count; i++) {
      const isTooLong = lineEnd(i) - lineStart(i) > maxLineBytes
      if (!isTooLong && (areUtf8 || isUtf8(bytes.subarray(lineStart(i), lineEnd(i))))) continue
      passOn(from, i)
      line++
      if (isTooLong) sink.tooLong(headAt(bytes, lineStart(i), maxLineBytes), line)
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
