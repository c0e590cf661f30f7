/** WebAssembly modules that scripts/build-wasm.mjs has built, and their memory. */
import { readFileSync } from 'node:fs'

/** The part of the WebAssembly API that is used here: Node's types leave it to the DOM's. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: unknown }
}

export interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

const PAGE_BYTES = 65_536

const compiled = new Map<string, object>()

/** A new instance of the module in a file. Throws if that was not built (`node scripts/build-wasm.mjs`). */
export function instantiate<Exports>(file: URL, imports: object): Exports {
  const module = compiled.get(file.href) ?? new WebAssembly.Module(readFileSync(file))
  compiled.set(file.href, module)
  return new WebAssembly.Instance(module, imports).exports as Exports
}

/** Makes the memory reach up to an address. Views of it that were made before are void. */
export function growTo(memory: Memory, address: number): void {
  const missing = Math.ceil(address / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES
  if (missing > 0) memory.grow(missing)
}
