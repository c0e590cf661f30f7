import { Zstd } from '@hpcc-js/wasm-zstd'
import { ADDED_BYTES, addContentSize } from './frame.js'
import type { FramePiece } from './frame-pieces.js'
import {
  compressBound,
  endsTooEarly,
  type ZstdCompressor,
  type ZstdEngine,
  type ZstdParameters,
} from './zstd-engine.js'

/** A stream of a frame, made or read in pieces. Numbers are addresses and sizes in the module's memory. */
interface Stream {
  reset(): void
  setCompressionLevel(level: number): void
  compressChunk(target: number, targetBytes: number, content: number, contentBytes: number): number
  compressEnd(target: number, targetBytes: number): number
  decompressChunk(target: number, targetBytes: number, frame: number, frameBytes: number): number
  delete(): void
}

/** zstd's own functions. They return sizes, or errors that {@link isError} tells from sizes. */
interface Functions {
  new (): Stream
  compress(target: number, targetBytes: number, content: number, contentBytes: number, level: number): number
  decompress(target: number, targetBytes: number, frame: number, frameBytes: number): number
  isError(size: number): number
  getErrorName(size: number): string
}

/** Memory of the module. */
interface Heap {
  /** Replaced when the memory grows. */
  readonly HEAPU8: Uint8Array
  /** Returns 0 if there is no memory. */
  _malloc(bytes: number): number
  _free(address: number): void
}

/**
 * Parts of the package's class that its types call private. The public functions spread each result to an array of
 * numbers, which takes 50 times as long as zstd, and some of them ignore errors.
 */
interface Parts {
  _mainModule: { _module: Heap }
  _zstdClass: Functions
}

/** Room for the bytes that zstd adds to a stream of frames: the header, the end, and bytes not written yet. */
const STREAM_BYTES = 256 * 1024

/** Loads the engine of the package `@hpcc-js/wasm-zstd`, which is WebAssembly. Takes some 50 ms. */
export async function wasmZstd(): Promise<ZstdEngine> {
  const { _mainModule, _zstdClass: zstd } = (await Zstd.load()) as unknown as Parts
  const module: WasmZstd = { zstd, heap: _mainModule._module }
  const stream = new zstd()
  return {
    name: '@hpcc-js/wasm-zstd',
    createCompressor: (parameters) => createCompressor(module, levelOf(parameters)),
    decompress: (target, frame) => call(module, frame, target, target.length, zstd.decompress),
    decompressStart(target, frame) {
      stream.reset()
      const written = call(module, frame, target, target.length, (...places) => stream.decompressChunk(...places))
      if (written < target.length) throw endsTooEarly()
    },
  }
}

/** Decompresses frames in pieces. */
export interface ZstdStream {
  /** Returns the content of the next piece of a frame. Throws an Error if the frame is damaged. */
  push(piece: FramePiece): Buffer
}

/** A frame of 8 bytes. Its content comes out of a stream only if the frame before has ended without an error. */
const PROBE = Buffer.from('28b52ffd2008410000', 'hex')
const PROBE_CONTENT = Buffer.from('logweir!')

/**
 * Creates a stream that decompresses frames, with a module of its own. The package's function tells no error: a piece
 * with an error has no content, and so has everything after that piece.
 */
export async function createZstdStream(): Promise<ZstdStream> {
  const { _mainModule, _zstdClass: zstd } = (await Zstd.load()) as unknown as Parts
  const module: WasmZstd = { zstd, heap: _mainModule._module }
  const stream = new zstd()
  stream.reset()
  const target = Buffer.allocUnsafeSlow(STREAM_BYTES)
  const read = (frame: Buffer) => {
    const bytes = call(module, frame, target, STREAM_BYTES, (...places) => stream.decompressChunk(...places))
    return Buffer.from(target.subarray(0, bytes))
  }
  return {
    push({ bytes, content: [least, most], isEnd }) {
      const content = read(bytes)
      if (content.length < least || content.length > most) throw new Error('a block cannot be decompressed')
      if (isEnd && !read(Buffer.concat([PROBE, PROBE_CONTENT])).equals(PROBE_CONTENT))
        throw new Error('the size or the checksum of the content is wrong')
      return content
    },
  }
}

interface WasmZstd {
  zstd: Functions
  heap: Heap
}

/**
 * Returns the level that comes nearest to parameters in size and speed, as measured on logs. Level 1 finds too little
 * in numbers. Level 12 without more parameters makes some texts larger than level 1 does; level 14 makes logs as small
 * as level 12 with `minMatch: 6`, and takes a third more time than level 12.
 */
function levelOf({ compressionLevel, minMatch = 0, chainLog }: ZstdParameters): number {
  if (compressionLevel === 1) return minMatch === 4 ? 3 : 1
  return chainLog === undefined ? compressionLevel : compressionLevel + 2
}

function createCompressor(module: WasmZstd, level: number): ZstdCompressor {
  const { zstd } = module
  const compress = (target: Buffer, content: Uint8Array) =>
    call(module, content, target, compressBound(content.length), (to, room, from, bytes) =>
      zstd.compress(to, room, from, bytes, level),
    )
  return {
    compress,
    async compressInSteps(target, content, stepBytes, afterStep) {
      if (content.length <= stepBytes) {
        const bytes = compress(target, content)
        await afterStep()
        return bytes
      }
      const stream = new zstd()
      try {
        stream.reset()
        stream.setCompressionLevel(level)
        let end = 0
        for (let from = 0; from < content.length; from += stepBytes) {
          const step = content.subarray(from, from + stepBytes)
          const room = compressBound(step.length) + STREAM_BYTES
          end += call(module, step, target.subarray(end), room, (...places) => stream.compressChunk(...places))
          await afterStep()
        }
        end += call(module, NOTHING, target.subarray(end), STREAM_BYTES, (to, bytes) => stream.compressEnd(to, bytes))
        if (end + ADDED_BYTES > target.length) throw new Error('No room for a compressed buffer')
        return addContentSize(target, end, content.length)
      } finally {
        stream.delete()
      }
    },
  }
}

const NOTHING = new Uint8Array(0)

/**
 * Copies `from` to the module's memory, calls a function of zstd, and copies the result to the start of `target`.
 * Returns the bytes of the result, at most `room`. Throws if zstd reports an error.
 */
function call(
  { zstd, heap }: WasmZstd,
  from: Uint8Array,
  target: Buffer,
  room: number,
  run: (target: number, targetBytes: number, from: number, fromBytes: number) => number,
): number {
  const memory = heap._malloc(room + from.length)
  if (memory === 0) throw new Error(`WebAssembly has no memory for a buffer of ${room} bytes`)
  try {
    heap.HEAPU8.set(from, memory + room)
    const bytes = run(memory, room, memory + room, from.length)
    if (zstd.isError(bytes)) throw new Error(zstd.getErrorName(bytes))
    target.set(heap.HEAPU8.subarray(memory, memory + bytes))
    return bytes
  } finally {
    heap._free(memory)
  }
}
