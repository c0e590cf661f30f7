import { zstd } from '../../../base/compression/zstd.js'
import { BLOCK_BYTES, compressBound, type ZstdParameters } from '../../../base/compression/zstd-engine.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { MIB } from '../../../base/units.js'

/**
 * Length of the 64-bit integer that starts each compressed buffer of an Arrow IPC body: the uncompressed length. A zstd
 * frame follows. An empty buffer is stored as no bytes at all. Frames have no checksum: the files that contain the
 * frames have a checksum of all bytes, and computing both would take a tenth longer.
 */
const LENGTH_BYTES = 8
/** Bytes that are compressed between two yields: about 2 ms. */
const STEP_BYTES = MIB

/** Room for each compressed buffer in addition to {@link compressBound} of all buffers together. */
export const BUFFER_ROOM_BYTES = 128

/** zstd's fastest positive level: half the size of LZ4 on logs, at about the speed of LZ4. */
const FAST: ZstdParameters = {
  compressionLevel: 1,
  // Half of that level's hash table: a tenth faster on logs, and a hundredth larger.
  hashLog: 13,
}

/** The next level would take twice as long to save another hundredth. */
const SMALL: ZstdParameters = { compressionLevel: 12 }

const CODECS = {
  texts: FAST,
  // Neighbouring numbers often share their upper bytes, and times in microseconds four of eight.
  numbers: { ...FAST, minMatch: 4 },
  // Shorter matches in logs are chance and take more than the bytes themselves. A smaller table fits a core's cache.
  smallTexts: { ...SMALL, minMatch: 6, hashLog: 18, chainLog: 18 },
  smallOffsets: { ...SMALL, minMatch: 3 },
} satisfies Record<string, ZstdParameters>

/** Compression of a buffer by its content: fast, or small, which takes eight times as long. All are plain zstd. */
export type Codec = keyof typeof CODECS

const compressors = {
  texts: zstd.createCompressor(CODECS.texts),
  numbers: zstd.createCompressor(CODECS.numbers),
  smallTexts: zstd.createCompressor(CODECS.smallTexts),
  smallOffsets: zstd.createCompressor(CODECS.smallOffsets),
}

/** Compresses `content` to the start of `target`, which must have room for the result. Returns the bytes written. */
export function writeBuffer(target: Buffer, content: Uint8Array, codec: Codec): number {
  if (content.length === 0) return 0
  writeLength(target, content.length)
  return LENGTH_BYTES + compressors[codec].compress(target.subarray(LENGTH_BYTES), content)
}

/** Compresses `content` to new memory, and yields every MiB. */
export async function toBuffer(content: Uint8Array, codec: Codec, yieldIfDue: Yielder): Promise<Buffer> {
  if (content.length === 0) return Buffer.alloc(0)
  const target = Buffer.allocUnsafeSlow(LENGTH_BYTES + compressBound(content.length) + BUFFER_ROOM_BYTES)
  if (content.length <= STEP_BYTES) {
    const length = writeBuffer(target, content, codec)
    await yieldIfDue()
    return target.subarray(0, length)
  }
  writeLength(target, content.length)
  const frame = target.subarray(LENGTH_BYTES)
  const length = await compressors[codec].compressInSteps(frame, content, STEP_BYTES, yieldIfDue)
  return target.subarray(0, LENGTH_BYTES + length)
}

function writeLength(target: Buffer, bytes: number): void {
  target.writeUInt32LE(bytes)
  target.writeUInt32LE(0, 4)
}

/** Returns the uncompressed bytes of a buffer. */
export function contentBytes(buffer: Buffer): number {
  return buffer.length === 0 ? 0 : buffer.readUInt32LE() + buffer.readUInt32LE(4) * 2 ** 32
}

/** Decompresses a buffer to memory from `take`, by default new memory. Throws if the buffer is damaged. */
export function fromBuffer(buffer: Buffer, take: (bytes: number) => Buffer = Buffer.allocUnsafeSlow): Buffer {
  const content = take(contentBytes(buffer))
  readBuffer(content, buffer)
  return content
}

/** Decompresses at least the first `bytes` bytes of a buffer. Throws if the buffer is damaged up to there. */
export function startOfBuffer(buffer: Buffer, bytes: number): Buffer {
  if (blocksOf(bytes) === blocksOf(contentBytes(buffer))) return fromBuffer(buffer)
  const target = Buffer.allocUnsafeSlow(bytes)
  zstd.decompressStart(target, buffer.subarray(LENGTH_BYTES))
  return target
}

const blocksOf = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES)

/** Decompresses a buffer to `target`, which has exactly its uncompressed length. Throws if the buffer is damaged. */
export function readBuffer(target: Buffer, buffer: Buffer): void {
  if (target.length === 0) return
  const bytes = zstd.decompress(target, buffer.subarray(LENGTH_BYTES))
  if (bytes < target.length) throw new Error('A compressed buffer is shorter than its length says')
}
