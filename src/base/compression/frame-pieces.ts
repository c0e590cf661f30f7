import { bytesOfBlock, CHECKSUM, headerBytes, MAGIC_BYTES } from './frame.js'

const MAGIC = 0xfd2fb528
/** Frames of other data, which readers skip: 16 numbers. RFC 8878, section 3.1.2. */
const SKIPPABLE = 0x184d2a50
const SKIPPABLE_MASK = 0xfffffff0
const SKIPPABLE_HEADER_BYTES = 8
const CHECKSUM_BYTES = 4
/** A frame's header, magic number included, has at most so many bytes. */
const MOST_HEADER_BYTES = 18
const BLOCK_HEADER_BYTES = 3

/** Cuts a stream of frames into headers, blocks and checksums, of which each has at most 128 KiB of content. */
export interface FramePieces {
  /** Returns the pieces that end in the chunk. Throws an Error if the bytes are no frame. */
  push(chunk: Uint8Array): Buffer[]
  /** Whether all bytes so far belong to whole frames. */
  isWhole(): boolean
  /** The number of bytes of all pieces so far. */
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

  /** Returns the bytes of the next piece, undefined if more bytes are needed to tell. Changes the state. */
  function next(): number | undefined {
    if (state === 'checksum') {
      if (rest.length < CHECKSUM_BYTES) return undefined
      state = 'frame'
      return CHECKSUM_BYTES
    }
    return state === 'block' ? nextBlock() : nextFrame()
  }

  function nextBlock(): number | undefined {
    if (rest.length < BLOCK_HEADER_BYTES) return undefined
    const { bytes, isLast } = bytesOfBlock(rest, 0)
    if (rest.length < bytes) return undefined
    if (isLast) state = hasChecksum ? 'checksum' : 'frame'
    return bytes
  }

  function nextFrame(): number | undefined {
    if (rest.length < MAGIC_BYTES) return undefined
    const magic = rest.readUInt32LE(0)
    if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE) {
      if (rest.length < SKIPPABLE_HEADER_BYTES) return undefined
      left = rest.readUInt32LE(MAGIC_BYTES)
      state = 'skipped'
      rest = rest.subarray(SKIPPABLE_HEADER_BYTES)
      at += SKIPPABLE_HEADER_BYTES
      return 0
    }
    if (magic !== MAGIC) throw new Error('no zstd frame begins here')
    if (rest.length <= MAGIC_BYTES || (rest.length < MOST_HEADER_BYTES && rest.length < headerBytes(rest)))
      return undefined
    hasChecksum = (rest[MAGIC_BYTES]! & CHECKSUM) !== 0
    state = 'block'
    return headerBytes(rest)
  }

  function skip(): void {
    const bytes = Math.min(left, rest.length)
    rest = rest.subarray(bytes)
    left -= bytes
    at += bytes
    if (left === 0) state = 'frame'
  }

  return {
    push(chunk) {
      rest = Buffer.concat([rest, chunk])
      const pieces: Buffer[] = []
      for (;;) {
        if (state === 'skipped') skip()
        const bytes = state === 'skipped' ? undefined : next()
        if (bytes === undefined) return pieces
        if (bytes > 0) pieces.push(rest.subarray(0, bytes))
        rest = rest.subarray(bytes)
        at += bytes
      }
    },
    isWhole: () => state === 'frame' && rest.length === 0,
    at: () => at,
  }
}
