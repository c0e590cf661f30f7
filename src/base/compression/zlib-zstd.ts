import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { endOfBlocks } from './frame.js'
import { BLOCK_BYTES, compressBound, endsTooEarly, type ZstdEngine, type ZstdParameters } from './zstd-engine.js'

interface Options {
  params?: Record<number, number>
  /** The content of a frame that is made in steps. */
  pledgedSrcSize?: number
  /** Memory is taken in pieces of this size. */
  chunkSize: number
  maxOutputLength?: number
  finishFlush?: number
  /** Answers with the answer's `engine` too. */
  info?: true
}

/** Functions of newer Nodes than the Node of the installed types. */
interface NewerZlib {
  zstdCompressSync?(content: Uint8Array, options: Options): Buffer
  zstdDecompressSync(frame: Uint8Array, options: Options): { buffer: Buffer; engine: { bytesWritten: number } }
  createZstdCompress(options: Options): Duplex
}

const { zstdCompressSync, zstdDecompressSync, createZstdCompress } = zlib as unknown as NewerZlib
const constants = zlib.constants as unknown as Readonly<Record<string, number>>

/** The least that Node accepts. */
const MIN_CHUNK_BYTES = 64

/**
 * Node takes more memory, and calls zstd once more, when an answer fills a piece. An answer for which there is room in
 * the first piece takes half of the time that it takes with pieces of Node's own size.
 */
const chunkFor = (bytes: number) => Math.max(MIN_CHUNK_BYTES, bytes + 1)

/** Returns the engine of Node itself, or undefined before Node 22.15. */
export function zlibZstd(): ZstdEngine | undefined {
  if (zstdCompressSync === undefined) return undefined
  const compressSync = zstdCompressSync
  return {
    name: 'node:zlib',
    createCompressor(parameters) {
      const params = toParams(parameters)
      return {
        compress(target, content) {
          const frame = compressSync(content, { params, chunkSize: chunkFor(compressBound(content.length)) })
          return write(target, 0, frame)
        },
        compressInSteps: (target, content, stepBytes, afterStep) =>
          compressInSteps(params, target, stepsOf(content, stepBytes, afterStep), content.length),
      }
    },
    decompress,
    decompressStart,
  }
}

function toParams(parameters: ZstdParameters): Record<number, number> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [constants[`ZSTD_c_${name}`], value]))
}

/** Copies bytes to `target`. Returns their end. Throws if there is no room for them. */
function write(target: Buffer, at: number, bytes: Uint8Array): number {
  target.set(bytes, at)
  return at + bytes.length
}

async function* stepsOf(content: Uint8Array, stepBytes: number, afterStep: () => Promise<void> | undefined) {
  for (let from = 0; from < content.length; from += stepBytes) {
    yield content.subarray(from, from + stepBytes)
    await afterStep()
  }
}

/** Compresses on Node's pool of threads: no function of Node compresses a part of a frame on this thread. */
async function compressInSteps(
  params: Record<number, number>,
  target: Buffer,
  steps: AsyncIterable<Uint8Array>,
  contentBytes: number,
): Promise<number> {
  let end = 0
  const options = { params, pledgedSrcSize: contentBytes, chunkSize: BLOCK_BYTES }
  await pipeline(steps, createZstdCompress(options), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) end = write(target, end, chunk)
  })
  return end
}

function decompress(target: Buffer, frame: Buffer): number {
  const options = {
    chunkSize: chunkFor(target.length),
    maxOutputLength: Math.max(1, target.length),
    info: true,
  } as const
  const { buffer, engine } = zstdDecompressSync(frame, options)
  // Node ignores bytes that follow a frame, or are the start of another frame.
  if (engine.bytesWritten !== frame.length) throw new Error('A compressed buffer has bytes after its end')
  return write(target, 0, buffer)
}

/**
 * Decompresses whole blocks, since Node stops only at the end of its input. The content of a block has at most
 * {@link BLOCK_BYTES}, but may have less, so that further attempts with more blocks may follow.
 */
function decompressStart(target: Buffer, frame: Buffer): void {
  for (let blocks = 0, filled = 0; filled < target.length; ) {
    blocks += Math.ceil((target.length - filled) / BLOCK_BYTES)
    const end = endOfBlocks(frame, blocks)
    const { buffer } = zstdDecompressSync(frame.subarray(0, end), {
      chunkSize: chunkFor(target.length + BLOCK_BYTES),
      finishFlush: constants.ZSTD_e_continue,
      info: true,
    })
    // zstd writes no empty blocks before the last one: the loop must not go through damage made of such blocks.
    const isLast = end === frame.length || buffer.length === filled
    filled = buffer.length
    if (filled >= target.length) buffer.copy(target)
    else if (isLast) throw endsTooEarly()
  }
}
