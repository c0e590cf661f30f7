import { byteOrderMarkLength, NEWLINE } from '../../base/ascii.js'
import { KIB } from '../../base/units.js'
import type { Scanner } from '../wasm/scanner.js'
import { checkLines, headAt, type LineSink } from './check-lines.js'

/** Bytes that join the working memory at a time, few enough to stay in a core's cache. */
const BLOCK_BYTES = 256 * KIB

/** The working memory that lines of this length need. */
export const capacityFor = (maxLineBytes: number): number => maxLineBytes + BLOCK_BYTES

/** Puts the next bytes at the start of `into` and says how many; 0 where there are no more. */
export type ReadBytes = (into: Uint8Array) => number

export interface LineReader {
  /** Reads one more chunk, of any size; what it cuts off a line waits for the next. */
  push(chunk: Uint8Array): void
  /** Has the next bytes read to where they are scanned; `read` puts them at the start of what it is given, and says how many. */
  fill(read: ReadBytes): number
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
  let { bytes } = scanner
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
    const end = start + Math.min(blockRoom(), chunk.length - start)
    bytes.set(chunk.subarray(start, end), carried)
    checkFilled(carried + end - start)
    return end
  }

  function fill(read: ReadBytes): number {
    const length = read(bytes.subarray(carried, carried + blockRoom()))
    // Nothing is carried while a line is skipped: what was read stands at the start.
    const start = skipping ? skip(bytes.subarray(0, length), 0) : 0
    if (start > 0) bytes.copyWithin(0, start, length)
    checkFilled(carried + length - start)
    return length
  }

  const blockRoom = () => Math.min(BLOCK_BYTES, bytes.length - carried)

  /** Judges the lines that end in bytes[carried, filled), which have just come. */
  function checkFilled(filled: number): void {
    const whole = carried + bytes.subarray(carried, filled).lastIndexOf(NEWLINE) + 1
    if (whole > carried) {
      checkUpTo(whole)
      bytes.copyWithin(0, whole, filled)
      carried = filled - whole
    } else carried = filled
    if (carried - markLength() > maxLineBytes) startSkipping()
  }

  function startSkipping(): void {
    skipping = true
    const start = markLength()
    sink.tooLong(headAt(bytes, start, maxLineBytes), ++line)
    carried = 0
  }

  function checkUpTo(end: number): void {
    line = checkLines(scanner, Math.min(markLength(), end), end, line, maxLineBytes, sink)
  }

  /** The length of the byte order mark that may stand before the first line. */
  function markLength(): number {
    return line === 0 ? byteOrderMarkLength(bytes) : 0
  }

  function end(): void {
    checkUpTo(carried)
    carried = 0
  }

  function moveTo(next: Scanner): void {
    next.bytes.set(bytes.subarray(0, carried))
    scanner = next
    bytes = next.bytes
  }

  return { push, fill, end, moveTo }
}
