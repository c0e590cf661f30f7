/** The WebAssembly module that scans and takes lines. */
import { instantiate, type Memory } from '../../base/wasm.js'

/** What the doors of that module export: layout.ts, scan.ts, take.ts, cut.ts. Lanes and addresses are numbers of bytes. */
export interface Exports {
  memory: Memory
  bytesAddress(): number
  setSizes(table: number, maxLines: number, maxLineBytes: number, batchRows: number, batchBytes: number): void
  setRules(retentionUs: number): void
  setDefaults(lane: number, projectLength: number): void
  clearFieldNames(): void
  addTimeName(length: number): void
  addMessageName(length: number): void
  addLane(firstProject: number, secondProject: number, thirdProject: number): number
  addColumn(lane: number, kind: number, field: number): void
  reserveScratch(): void
  reserveNames(): void
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
  cutObjects(start: number, end: number, limit: number): number
  cutLines(start: number, end: number): void
  hasNeighbours(start: number, end: number): number
  cutStart(): number
  cutEnd(): number
  clearLane(lane: number): void
}

/** What the module asks of its host: wasm/base/host.ts. */
export type Host = Record<
  'timestampOfText' | 'timestampOfNumber' | 'doubleOf',
  (start: number, end: number) => number
> & {
  putUuid(at: number): void
}

/** A new instance. Throws if `ingest.wasm` was not built (`node scripts/build-wasm.mjs`). */
export const instantiateIngest = (host: Host): Exports =>
  instantiate(new URL('./ingest.wasm', import.meta.url), { host })
