/** Instances and memory of WebAssembly modules, which scripts/build-wasm.mjs builds. */
import { readProgramFile } from '../program-files.js'

/** The used part of the WebAssembly API, which only the types of the DOM declare. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: unknown }
}

/** A WebAssembly memory. */
export interface Memory {
  /** Replaced when the memory grows. */
  readonly buffer: ArrayBuffer
  /** Grows by pages of 64 KiB. Returns the previous number of pages. */
  grow(pages: number): number
}

const PAGE_BYTES = 65_536

const compiled = new Map<string, object>()

/** Returns a new instance of the module in a file. Throws if the file was not built (`node scripts/build-wasm.mjs`). */
export function instantiate<Exports>(file: URL, imports: object): Exports {
  const module = compiled.get(file.href) ?? new WebAssembly.Module(readProgramFile(file))
  compiled.set(file.href, module)
  return new WebAssembly.Instance(module, imports).exports as Exports
}

/** Grows the memory to include all bytes below `address`. Existing views become empty if the memory grows. */
export function growTo(memory: Memory, address: number): void {
  const missing = Math.ceil(address / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES
  if (missing > 0) memory.grow(missing)
}
