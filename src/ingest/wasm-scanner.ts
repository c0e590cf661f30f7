/** The scanner in WebAssembly (assembly/scan.ts), SIMD throughout: the same table as the plain one, several times faster. */
import { readFileSync } from 'node:fs'
import { LINE_INTS, type Scanner } from './fields.js'

/** The part of the WebAssembly API that is used here: Node's types leave it to the DOM's. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** What assembly/scan.ts exports. */
interface ScanExports {
  memory: Memory
  bytesAddress(): number
  scan(start: number, end: number, table: number, maxLines: number): number
}

const PAGE_BYTES = 65_536
/** The module reads this far behind the bytes it is given, at most. */
const MARGIN_BYTES = 64

let compiled: object | undefined

/**
 * Makes a scanner with room for `capacityBytes` bytes and `maxLines` lines. Its `bytes` and `table` are views of one
 * memory, sized here and never grown. Throws if `scan.wasm` was not built (`node scripts/build-wasm.mjs`).
 */
export function createWasmScanner({ capacityBytes, maxLines }: { capacityBytes: number; maxLines: number }): Scanner {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)))
  const { memory, bytesAddress, scan } = new WebAssembly.Instance(compiled).exports as ScanExports
  const bytesAt = bytesAddress()
  const tableAt = Math.ceil((bytesAt + capacityBytes + MARGIN_BYTES) / MARGIN_BYTES) * MARGIN_BYTES
  growTo(memory, tableAt + 4 * LINE_INTS * maxLines)
  return {
    bytes: new Uint8Array(memory.buffer, bytesAt, capacityBytes),
    table: new Int32Array(memory.buffer, tableAt, LINE_INTS * maxLines),
    maxLines,
    scan: (start, end) => scan(start, end, tableAt, maxLines),
  }
}

function growTo(memory: Memory, bytes: number): void {
  const missing = Math.ceil(bytes / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES
  if (missing > 0) memory.grow(missing)
}
