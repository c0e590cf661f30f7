import { byteOrderMarkLength, NEWLINE } from '../../base/text/ascii.js'
import { KIB } from '../../base/units.js'
import type { Scanner } from '../wasm/scanner.js'
import { checkLines, headAt, type LineSink } from './check-lines.js'

/** Bytes that are added to the working memory at a time: few enough for a core's cache. */
const BLOCK_BYTES = 256 * KIB

/** Returns the working memory that lines of this length need, in bytes. */
export const capacityFor = (maxLineBytes: number): number => maxLineBytes + BLOCK_BYTES

/** Writes the next bytes to the start of `into` and returns the number of bytes, 0 at the end. */
export type ReadBytes = (into: Uint8Array) => number

/** Assembles chunks of a stream to lines. */
export interface LineReader {
  /** Reads another chunk of any size. An incomplete last line waits for the next chunk. */
  push(chunk: Uint8Array): void
  /** Lets `read` write the next bytes directly to the scanned memory. Returns the number of bytes. */
  fill(read: ReadBytes): number
  /** Ends the last line, with or without a newline. */
  end(): void
  /** Returns the number of lines that have ended so far. */
  lines(): number
  /** Continues in the memory of another scanner of the same size. Copies the start of an incomplete line there. */
  moveTo(scanner: Scanner): void
}

/**
 * Creates a reader that assembles chunks to whole lines in the memory of `first`, which has `capacityFor(maxLineBytes)`
 * bytes. A line over `maxLineBytes` (without its newline) is skipped in constant memory.
 */
export function createLineReader(first: Scanner, maxLineBytes: number, sink: LineSink): LineReader {
  let scanner = first
  /** The length of the start of an incomplete line, in bytes[0, carried). */
  let carried = 0
  /** The number of lines checked so far. */
  let line = 0
  let skipping = false

  function push(chunk: Uint8Array): void {
    let start = 0
    while (start < chunk.length) start = skipping ? skip(chunk, start) : take(chunk, start)
  }

  /** Skips the rest of a line that is too long. Returns the offset in the chunk at which to continue. */
  function skip(chunk: Uint8Array, start: number): number {
    const newline = chunk.indexOf(NEWLINE, start)
    skipping = newline < 0
    return skipping ? chunk.length : newline + 1
  }

  /** Copies the next part of the chunk and checks the lines that end there. Returns the offset at which to continue. */
  function take(chunk: Uint8Array, start: number): number {
    const end = start + Math.min(blockRoom(), chunk.length - start)
    scanner.bytes.set(chunk.subarray(start, end), carried)
    checkFilled(carried + end - start)
    return end
  }

  function fill(read: ReadBytes): number {
    const length = read(scanner.bytes.subarray(carried, carried + blockRoom()))
    // While a line is skipped nothing is carried over: the bytes are at the start.
    const start = skipping ? skip(scanner.bytes.subarray(0, length), 0) : 0
    if (start > 0) scanner.bytes.copyWithin(0, start, length)
    checkFilled(carried + length - start)
    return length
  }

  const blockRoom = () => Math.min(BLOCK_BYTES, scanner.bytes.length - carried)

  /** Checks the lines that end in the new bytes[carried, filled). */
  function checkFilled(filled: number): void {
    const whole = carried + scanner.bytes.subarray(carried, filled).lastIndexOf(NEWLINE) + 1
    if (whole > carried) {
      checkUpTo(whole)
      scanner.bytes.copyWithin(0, whole, filled)
      carried = filled - whole
    } else carried = filled
    if (carried - markLength() > maxLineBytes) startSkipping()
  }

  function startSkipping(): void {
    skipping = true
    const start = markLength()
    sink.tooLong(headAt(scanner.bytes, start, maxLineBytes), ++line)
    carried = 0
  }

  function checkUpTo(end: number): void {
    line = checkLines(scanner, Math.min(markLength(), end), end, line, maxLineBytes, sink)
  }

  /** Returns the length of a byte order mark before the first line, or 0. */
  function markLength(): number {
    return line === 0 ? byteOrderMarkLength(scanner.bytes) : 0
  }

  function end(): void {
    checkUpTo(carried)
    carried = 0
  }

  function moveTo(next: Scanner): void {
    next.bytes.set(scanner.bytes.subarray(0, carried))
    scanner = next
  }

  return { push, fill, end, lines: () => line, moveTo }
}
