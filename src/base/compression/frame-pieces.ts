import { KIB } from '../units.js'
import { BLOCK_HEADER_BYTES, blockAt, CHECKSUM, headerBytes, MAGIC_BYTES } from './frame.js'

const MAGIC = 0xfd2fb528
/** Frames of other data, which readers skip: 16 numbers. RFC 8878, section 3.1.2. */
const SKIPPABLE = 0x184d2a50
const SKIPPABLE_MASK = 0xfffffff0
const SKIPPABLE_HEADER_BYTES = 8
const CHECKSUM_BYTES = 4
/** The most bytes of content of a block. */
const MOST_BLOCK_CONTENT = 128 * KIB
const NO_CONTENT = [0, 0] as const
/** A compressed block without content is not allowed. */
const SOME_CONTENT = [1, MOST_BLOCK_CONTENT] as const

/** A header, a block or a checksum of a frame. */
export interface FramePiece {
  bytes: Buffer
  /** The least and the most bytes of content. */
  content: readonly [least: number, most: number]
  /** Whether the frame ends with this piece. */
  isEnd: boolean
}

/** Cuts a stream of frames into pieces. */
export interface FramePieces {
  /**
   * Yields the pieces that end in the chunk. All must be read before the next call. Throws an Error behind the pieces
   * before bytes that are no frame.
   */
  push(chunk: Uint8Array): Iterable<FramePiece>
  /** Whether all bytes so far belong to whole frames. */
  isWhole(): boolean
  /** The number of bytes of all pieces so far, and of skippable frames. */
  at(): number
}

type State = 'frame' | 'block' | 'checksum' | 'skipped'

/** Creates a cutter of frames. */
export function createFramePieces(): FramePieces {
  let rest = Buffer.alloc(0)
  let state: State = 'frame'
  let hasChecksum = false
  /** Bytes of a skippable frame that are left. */
  let left = 0
  let at = 0

  /** Returns the first bytes of the rest as a piece. */
  function take(bytes: number, content: FramePiece['content']): FramePiece {
    const piece = { bytes: rest.subarray(0, bytes), content, isEnd: state === 'frame' }
    drop(bytes)
    return piece
  }

  /** Returns the next piece, undefined if more bytes are needed. Changes the state. */
  function next(): FramePiece | undefined {
    if (state === 'frame') skipFrames()
    if (state === 'frame') return nextHeader()
    if (state === 'block') return nextBlock()
    return state === 'checksum' ? nextChecksum() : undefined
  }

  function nextHeader(): FramePiece | undefined {
    if (rest.length < MAGIC_BYTES || isSkippable(rest)) return undefined
    if (rest.readUInt32LE(0) !== MAGIC) throw new Error('no zstd frame begins here')
    if (rest.length <= MAGIC_BYTES || rest.length < headerBytes(rest)) return undefined
    hasChecksum = (rest[MAGIC_BYTES]! & CHECKSUM) !== 0
    state = 'block'
    return take(headerBytes(rest), NO_CONTENT)
  }

  function nextBlock(): FramePiece | undefined {
    if (rest.length < BLOCK_HEADER_BYTES) return undefined
    const { bytes, isLast, content } = blockAt(rest, 0)
    if (Math.max(bytes - BLOCK_HEADER_BYTES, content ?? 0) > MOST_BLOCK_CONTENT)
      throw new Error('a block is longer than 128 KiB')
    if (rest.length < bytes) return undefined
    if (isLast) state = hasChecksum ? 'checksum' : 'frame'
    return take(bytes, content === undefined ? SOME_CONTENT : [content, content])
  }

  function nextChecksum(): FramePiece | undefined {
    if (rest.length < CHECKSUM_BYTES) return undefined
    state = 'frame'
    return take(CHECKSUM_BYTES, NO_CONTENT)
  }

  /** Drops skippable frames at the start of the rest. */
  function skipFrames(): void {
    while (rest.length >= SKIPPABLE_HEADER_BYTES && isSkippable(rest)) {
      left = rest.readUInt32LE(MAGIC_BYTES)
      drop(SKIPPABLE_HEADER_BYTES)
      skip()
    }
  }

  function skip(): void {
    const bytes = Math.min(left, rest.length)
    left -= bytes
    drop(bytes)
    state = left === 0 ? 'frame' : 'skipped'
  }

  function drop(bytes: number): void {
    rest = rest.subarray(bytes)
    at += bytes
  }

  return {
    *push(chunk) {
      rest = Buffer.concat([rest, chunk])
      if (state === 'skipped') skip()
      for (let piece = next(); piece !== undefined; piece = next()) yield piece
    },
    isWhole: () => state === 'frame' && rest.length === 0,
    at: () => at,
  }
}

/**
 * Whether a file begins with a frame, or with a skippable frame. A file that is cut within the number of a frame is one
 * too, but a first byte alone may be text.
 */
export function beginsFrame(start: Buffer): boolean {
  if (start.length >= MAGIC_BYTES) return start.readUInt32LE(0) === MAGIC || isSkippable(start)
  const magic = Buffer.alloc(MAGIC_BYTES)
  magic.writeUInt32LE(MAGIC)
  return start.length > 1 && magic.subarray(0, start.length).equals(start)
}

const isSkippable = (frame: Buffer) => (frame.readUInt32LE(0) & SKIPPABLE_MASK) >>> 0 === SKIPPABLE
