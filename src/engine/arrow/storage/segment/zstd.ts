import zstd from 'zstd-napi/binding.js'
import type { Yielder } from '../../../../base/time-slices.js'
import { KIB, MIB } from '../../../../base/units.js'

/**
 * Buffers of an Arrow IPC body: each is its length as a 64-bit integer and a zstd frame; one without bytes is nothing at all.
 * A frame has no checksum: the files that hold it have one of all their bytes, and to make both takes a tenth more.
 */
export const LENGTH_BYTES = 8
/** Compressed at a time where others want a turn: about 2 ms. */
const STEP_BYTES = MIB
/** What zstd decompresses at once: RFC 8878, section 3.1.1.2.4. */
const BLOCK_BYTES = 128 * KIB

/** What a compressed buffer may take beyond {@link compressBound} of all buffers together. */
export const BUFFER_ROOM_BYTES = 128
export const { compressBound } = zstd

type Parameters = Partial<Record<keyof typeof zstd.CParameter, number>>

/** zstd's fastest positive level: twice as small as LZ4 on logs, at about its speed. */
const FAST: Parameters = {
  compressionLevel: 1,
  // Half of that level's hash table: a tenth faster on logs, which it makes a hundredth larger.
  hashLog: 13,
}

/** The last level before those that take twice as long for another hundredth. */
const SMALL: Parameters = { compressionLevel: 12 }

const CODECS = {
  texts: FAST,
  // Neighbours often have their upper bytes in common, and times of microseconds four of eight.
  numbers: { ...FAST, minMatch: 4 },
  // Shorter matches are chance in logs, and take more than the bytes themselves; a smaller table stays in a core's cache.
  smallTexts: { ...SMALL, minMatch: 6, hashLog: 18, chainLog: 18 },
  smallOffsets: { ...SMALL, minMatch: 3 },
} satisfies Record<string, Parameters>

/** How a buffer is compressed, by what it holds: fast, or small, which takes eight times as long. Any reader reads them all. */
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

/** Writes a buffer to the start of `target`, which has room for it; returns its bytes. */
export function writeBuffer(target: Buffer, content: Uint8Array, codec: Codec): number {
  if (content.length === 0) return 0
  writeLength(target, content.length)
  return LENGTH_BYTES + compressors[codec].compress2(target.subarray(LENGTH_BYTES), content)
}

/** The same in memory of its own, with pauses on the way. */
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

/** Bytes that a buffer held. */
export function contentBytes(buffer: Buffer): number {
  return buffer.length === 0 ? 0 : buffer.readUInt32LE() + buffer.readUInt32LE(4) * 2 ** 32
}

/** What a buffer held, in memory of its own unless it is to be taken from elsewhere; throws where it is damaged. */
export function fromBuffer(buffer: Buffer, take: (bytes: number) => Buffer = Buffer.allocUnsafeSlow): Buffer {
  const content = take(contentBytes(buffer))
  readBuffer(content, buffer)
  return content
}

/** The first bytes of what a buffer held, so many at least; throws where it is damaged up to there. */
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

/** Fills `target`, which is as long as what a buffer held, with it; throws where it is damaged. */
export function readBuffer(target: Buffer, buffer: Buffer): void {
  if (target.length > 0) decompressor.decompress(target, buffer.subarray(LENGTH_BYTES))
}
