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

export interface LineReader {
  /** Reads one more chunk, of any size; what it cuts off a line waits for the next. */
  push(chunk: Uint8Array): void
  /** The last line ends here, with or without a newline. */
  end(): void
  /** Goes on in the memory of another scanner of the same size, and takes the start of a cut line there. */
  moveTo(scanner: Scanner): void
}

/**
 * Makes whole lines of chunks, in the memory of `scanner`, which has `capacityFor(maxLineBytes)` bytes. A line over
 * `maxLineBytes` (its newline not counted) is skipped in constant memory.
 */
export function createLineReader(first: Scanner, maxLineBytes: number, sink: LineSink): LineReader {
  let scanner = first
  let { bytes, table } = scanner
  /** The start of a cut line: bytes[0, carried). */
  let carried = 0
  /** Lines judged. */
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
    const areFine = areUtf8 && end <= maxLineBytes
    for (let start = markLength(); start < end; ) {
      const count = scanner.scan(start, end)
      if (areFine) handOver(0, count)
      else judgeEach(count, areUtf8)
      start = lineEnd(count - 1) + 1
    }
  }

  /** Hands over the runs between lines that are too long or not UTF-8. */
  function judgeEach(count: number, areUtf8: boolean): void {
    let from = 0
    for (let i = 0; i < count; i++) {
      const isTooLong = lineEnd(i) - lineStart(i) > maxLineBytes
      if (!isTooLong && (areUtf8 || isUtf8(bytes.subarray(lineStart(i), lineEnd(i))))) continue
      handOver(from, i)
      line++
      if (isTooLong) sink.tooLong(headAt(lineStart(i)), line)
      else sink.invalidUtf8(i, line)
      from = i + 1
    }
    handOver(from, count)
  }

  function handOver(from: number, to: number): void {
    if (from < to) sink.lines(from, to, line + 1)
    line += to - from
  }

  const lineStart = (index: number): number => table[index * LINE_INTS + 1]!
  const lineEnd = (index: number): number => table[index * LINE_INTS + 2]!

  /** The length of the byte order mark that may stand before the first line. */
  function markLength(): number {
    return line === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  }

  function end(): void {
    judge(carried)
    carried = 0
  }

  function moveTo(next: Scanner): void {
    next.bytes.set(bytes.subarray(0, carried))
    scanner = next
    bytes = next.bytes
    table = next.table
  }

  return { push, end, moveTo }
}
