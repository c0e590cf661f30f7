/** The WebAssembly module's instances and their memory. */
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

/** What the doors of assembly export: layout.ts, scan.ts, take.ts, cut.ts. Lanes and addresses are numbers of bytes. */
export interface Exports {
  memory: Memory
  bytesAddress(): number
  setSizes(table: number, maxLines: number, maxLineBytes: number, batchRows: number, batchBytes: number): void
  setRules(retentionUs: number): void
  setDefaults(lane: number, projectLength: number, takesMessage: boolean): void
  addLane(firstProject: number, secondProject: number, thirdProject: number): number
  addColumn(lane: number, kind: number, field: number): void
  reserveScratch(): void
  reserveProjects(): void
  projectsAddress(): number
  bindProjects(bytes: number): void
  reservedEnd(): number
  addName(laneNumber: number, length: number): void
  addArea(length: number): void
  scan(start: number, end: number, table: number, maxLines: number): number
  take(from: number, to: number, nowUs: number): number
  stop(): number
  cut(start: number, end: number, limit: number): number
  cutStart(): number
  cutEnd(): number
  clearLane(lane: number): void
}

/** What the module asks of its host: assembly/base/host.ts. */
export type Host = Record<
  'timestampOfText' | 'timestampOfNumber' | 'doubleOf',
  (start: number, end: number) => number
> & {
  putUuid(at: number): void
}

const PAGE_BYTES = 65_536

let compiled: object | undefined

/** A new instance. Throws if `ingest.wasm` was not built (`node scripts/build-wasm.mjs`). */
export function instantiate(host: Host): Exports {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('./ingest.wasm', import.meta.url)))
  return new WebAssembly.Instance(compiled, { host }).exports as Exports
}

/** Makes the memory reach up to an address. Views of it that were made before are void. */
export function growTo(memory: Memory, address: number): void {
  const missing = Math.ceil(address / PAGE_BYTES) - memory.buffer.byteLength / PAGE_BYTES
  if (missing > 0) memory.grow(missing)
}
