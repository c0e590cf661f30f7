import zstd from 'zstd-napi/binding.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { KIB, MIB } from '../../../base/units.js'

/**
 * Length of the 64-bit integer that starts each compressed buffer of an Arrow IPC body: the uncompressed length. A zstd
 * frame follows. An empty buffer is stored as no bytes at all. Frames have no checksum: the files that contain the
 * frames have a checksum of all bytes, and computing both would take a tenth longer.
 */
const LENGTH_BYTES = 8
/** Bytes that are compressed between two yields: about 2 ms. */
const STEP_BYTES = MIB
/** The most that zstd decompresses at once: RFC 8878, section 3.1.1.2.4. */
const BLOCK_BYTES = 128 * KIB

/** Room for each compressed buffer in addition to {@link compressBound} of all buffers together. */
export const BUFFER_ROOM_BYTES = 128
/** The largest compressed size of a number of bytes. */
export const { compressBound } = zstd

type Parameters = Partial<Record<keyof typeof zstd.CParameter, number>>

/** zstd's fastest positive level: half the size of LZ4 on logs, at about the speed of LZ4. */
const FAST: Parameters = {
  compressionLevel: 1,
  // Half of that level's hash table: a tenth faster on logs, and a hundredth larger.
  hashLog: 13,
}

/** The next level would take twice as long to save another hundredth. */
const SMALL: Parameters = { compressionLevel: 12 }

const CODECS = {
  texts: FAST,
  // Neighbouring numbers often share their upper bytes, and times in microseconds four of eight.
  numbers: { ...FAST, minMatch: 4 },
  // Shorter matches in logs are chance and take more than the bytes themselves. A smaller table fits a core's cache.
  smallTexts: { ...SMALL, minMatch: 6, hashLog: 18, chainLog: 18 },
  smallOffsets: { ...SMALL, minMatch: 3 },
} satisfies Record<string, Parameters>

/** Compression of a buffer by its content: fast, or small, which takes eight times as long. All are plain zstd. */
export type Codec = keyof typeof CODECS

const compressors = {
  texts: createCompressor('texts'),
  numbers: createCompressor('numbers'),
  smallTexts: createCompressor('smallTexts'),
  smallOffsets: createCompressor('smallOffsets'),
}
const decompressor = new zstd.DCtx()

function createCompressor(codec: Codec) {
  const compressor = new zstd.CCtx()
  for (const [name, value] of Object.entries(CODECS[codec])) {
    compressor.setParameter(zstd.CParameter[name as keyof Parameters], value)
  }
  return compressor
}

/** Compresses `content` to the start of `target`, which must have room for the result. Returns the bytes written. */
export function writeBuffer(target: Buffer, content: Uint8Array, codec: Codec): number {
  if (content.length === 0) return 0
  writeLength(target, content.length)
  return LENGTH_BYTES + compressors[codec].compress2(target.subarray(LENGTH_BYTES), content)
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
  const compressor = createCompressor(codec)
  compressor.setPledgedSrcSize(content.length)
  let end = LENGTH_BYTES
  for (let from = 0, left = 1; left > 0 || from < content.length; ) {
    const step = content.subarray(from, from + STEP_BYTES)
    const directive = from + step.length === content.length ? zstd.EndDirective.end : zstd.EndDirective.continue
    const [unflushed, produced, consumed] = compressor.compressStream2(target.subarray(end), step, directive)
    left = directive === zstd.EndDirective.end ? unflushed : 1
    end += produced
    from += consumed
    await yieldIfDue()
  }
  return target.subarray(0, end)
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
  decompressor.reset(zstd.ResetDirective.sessionOnly)
  for (let filled = 0, read = LENGTH_BYTES; filled < bytes; ) {
    const [, produced, consumed] = decompressor.decompressStream(target.subarray(filled), buffer.subarray(read))
    if (produced + consumed === 0) throw new Error('A compressed buffer ends too early')
    filled += produced
    read += consumed
  }
  return target
}

const blocksOf = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES)

/** Decompresses a buffer to `target`, which has exactly its uncompressed length. Throws if the buffer is damaged. */
export function readBuffer(target: Buffer, buffer: Buffer): void {
  if (target.length > 0) decompressor.decompress(target, buffer.subarray(LENGTH_BYTES))
}
