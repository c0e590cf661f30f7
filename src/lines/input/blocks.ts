import { free } from '../../base/memory/array-buffers.js'
import { byteOrderMarkLength, NEWLINE } from '../../base/text/ascii.js'
import { MAX_LINE_BYTES } from '../../ingest/lines/check-lines.js'
import { BLOCK_BYTES } from '../scan/scan-block.js'

/** Cuts a stream of bytes into blocks of whole lines, each of at most {@link BLOCK_BYTES}. */
export interface BlockCutter {
  /** Adds bytes. Blocks that are full are passed on. */
  push(chunk: Uint8Array): void
  /** Passes on the whole lines so far. */
  flush(): void
  /** Ends an input, and its last line. */
  endInput(): void
  /** Takes back the memory of a block that is not read any more, for a later block. */
  reuse(memory: ArrayBuffer): void
  /** Lines that were left out since they are too long for a block. */
  tooLong(): number
}

/** Smaller blocks are copied: a buffer of {@link BLOCK_BYTES} for each line of a slow stream takes long. */
const MOST_COPIED_BYTES = BLOCK_BYTES / 8

/** Creates a cutter. `onBlock` receives each block in memory of its own. */
export function createBlockCutter(onBlock: (block: Uint8Array<ArrayBuffer>) => void): BlockCutter {
  let buffer = new Uint8Array(BLOCK_BYTES)
  /** Memory for blocks. New memory is cleared first, and the garbage collector works for each such buffer. */
  const spare: ArrayBuffer[] = []
  let filled = 0
  /** Whether the rest of the current line is skipped. */
  let isSkipping = false
  let isStart = true
  let tooLong = 0

  /** Passes on the bytes before `end`, and keeps those behind. */
  function passOn(end: number): void {
    isStart = false
    if (end < MOST_COPIED_BYTES) {
      const block = buffer.slice(0, end)
      buffer.copyWithin(0, end, filled)
      filled -= end
      onBlock(block)
      return
    }
    const block = buffer
    buffer = new Uint8Array(spare.pop() ?? new ArrayBuffer(BLOCK_BYTES))
    buffer.set(block.subarray(end, filled))
    filled -= end
    onBlock(block.subarray(0, end))
  }

  /** Passes on the whole lines in the buffer. Returns false if the buffer has no whole line. */
  function passOnLines(): boolean {
    const end = buffer.subarray(0, filled).lastIndexOf(NEWLINE) + 1
    if (end > 0) passOn(end)
    return end > 0
  }

  function skip(chunk: Uint8Array, at: number): number {
    const newline = chunk.indexOf(NEWLINE, at)
    isSkipping = newline < 0
    return isSkipping ? chunk.length : newline + 1
  }

  /** A line that fills the buffer is too long. */
  function startSkipping(): void {
    tooLong++
    filled = 0
    isSkipping = true
  }

  function dropMark(): void {
    if (!isStart || filled < 3) return
    isStart = false
    const mark = byteOrderMarkLength(buffer)
    buffer.copyWithin(0, mark, filled)
    filled -= mark
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (isSkipping) {
          at = skip(chunk, at)
          continue
        }
        const part = chunk.subarray(at, at + buffer.length - filled)
        buffer.set(part, filled)
        filled += part.length
        at += part.length
        dropMark()
        if (filled === buffer.length && !passOnLines()) startSkipping()
      }
    },
    flush() {
      passOnLines()
      if (filled > MAX_LINE_BYTES && !isSkipping) startSkipping()
    },
    endInput() {
      if (filled > 0) passOn(filled)
      isSkipping = false
      isStart = true
    },
    reuse(memory) {
      if (memory.byteLength === BLOCK_BYTES) spare.push(memory)
      else free([memory])
    },
    tooLong: () => tooLong,
  }
}
