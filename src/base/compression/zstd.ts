import { napiZstd } from './napi-zstd.js'
import { zlibZstd } from './zlib-zstd.js'
import type { ZstdEngine } from './zstd-engine.js'

/** The engine of this process: the fastest that is there. Only Node 20 without native parts loads WebAssembly. */
export const zstd: ZstdEngine =
  napiZstd() ?? zlibZstd() ?? (await import('./wasm-zstd.js').then(({ wasmZstd }) => wasmZstd()))

/** The name of the engine that compresses and decompresses in this process. */
export const ZSTD_ENGINE: ZstdEngine['name'] = zstd.name
