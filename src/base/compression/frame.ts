/** The layout of a zstd frame: RFC 8878, section 3.1.1. A header, then blocks, each with a header of its own. */

/** The bytes that tell a frame from other data. */
export const MAGIC_BYTES = 4
/** The bytes of the header of a block. */
export const BLOCK_HEADER_BYTES = 3
/** A block that is its content. */
const AS_IS = 0
/** A block of a single byte that is repeated: its size is that of the content. */
const REPEATED = 1
/** Sizes of a field in a frame's header by two bits of the descriptor. */
const DICTIONARY_BYTES = [0, 1, 2, 4]
const CONTENT_SIZE_BYTES = [0, 2, 4, 8]

/** The descriptor's bit for frames whose window is the whole content. They lack the byte with the window's size. */
const SINGLE_SEGMENT = 0x20
/** The descriptor's bits for a content size of 4 bytes. */
const CONTENT_SIZE_OF_4 = 0x80
const CONTENT_SIZE_BITS = 0xc0

/** The descriptor's bit for frames that end with a checksum of 4 bytes. */
export const CHECKSUM = 4

/** Bytes that {@link addContentSize} adds to a frame. */
export const ADDED_BYTES = 4

/** Returns the bytes of a frame's header, magic number included, of which the first five bytes are there. */
export function headerBytes(frame: Uint8Array): number {
  const descriptor = frame[MAGIC_BYTES]
  const isSingle = (descriptor & SINGLE_SEGMENT) !== 0
  const contentSize = CONTENT_SIZE_BYTES[descriptor >>> 6] || (isSingle ? 1 : 0)
  return MAGIC_BYTES + 1 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3] + contentSize
}

/** The size of a block of a frame, and whether others follow. */
export interface FrameBlock {
  /** The number of bytes, header included. */
  bytes: number
  isLast: boolean
  /** The bytes of the content. Undefined for a compressed block: its header has no such number. */
  content: number | undefined
}

/** Reads the header of the block at a place, of three bytes. */
export function blockAt(frame: Uint8Array, at: number): FrameBlock {
  const header = frame[at] | (frame[at + 1] << 8) | (frame[at + 2] << 16)
  const type = (header >>> 1) & 3
  const size = header >>> 3
  return {
    bytes: BLOCK_HEADER_BYTES + (type === REPEATED ? 1 : size),
    isLast: (header & 1) === 1,
    content: type === AS_IS || type === REPEATED ? size : undefined,
  }
}

/**
 * Returns where the first `blocks` blocks of a frame end, or the length of the frame if it is cut or has fewer blocks.
 * Checks nothing: zstd does when it reads these bytes.
 */
export function endOfBlocks(frame: Uint8Array, blocks: number): number {
  let at = headerBytes(frame)
  for (let block = 0; block < blocks && at + BLOCK_HEADER_BYTES <= frame.length; block++) {
    const { bytes, isLast } = blockAt(frame, at)
    at += bytes
    if (isLast) return frame.length
  }
  return at + BLOCK_HEADER_BYTES <= frame.length ? at : frame.length
}

/**
 * Adds the size of the content to a frame of `bytes` bytes at the start of `target`, which was made as a stream of
 * unknown length. Returns the new length of the frame.
 */
export function addContentSize(target: Buffer, bytes: number, contentBytes: number): number {
  const descriptor = target[MAGIC_BYTES]
  if ((descriptor & (CONTENT_SIZE_BITS | SINGLE_SEGMENT)) !== 0) throw new Error('The frame has a content size.')
  const at = headerBytes(target)
  target.copyWithin(at + ADDED_BYTES, at, bytes)
  target[MAGIC_BYTES] = descriptor | CONTENT_SIZE_OF_4
  target.writeUInt32LE(contentBytes, at)
  return bytes + ADDED_BYTES
}
