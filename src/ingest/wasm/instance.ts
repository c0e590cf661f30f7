/** The WebAssembly module that scans and appends lines. */
import { instantiate, type Memory } from '../../base/memory/wasm.js'

/** The exports of the module's entry points. Addresses are offsets in bytes. See wasm/README.md. */
export interface Exports {
  memory: Memory
  bytesAddress(): number
  setSizes(table: number, maxLines: number, maxLineBytes: number, batchRows: number, batchBytes: number): void
  setBatchLimits(batchRows: number, batchBytes: number): void
  setRetention(retentionUs: number): void
  setNewestHidden(timestampUs: number): void
  acceptUnreadableTimes(): void
  setDefaults(builder: number, projectLength: number): void
  clearFieldNames(): void
  addTimeName(length: number): void
  addMessageName(length: number): void
  addPathKey(parent: number, length: number, field: number, context: number, first: number, count: number): void
  addBuilder(firstProject: number, secondProject: number, thirdProject: number): number
  addColumn(builder: number, kind: number, field: number): void
  reserveScratch(): void
  reserveMemberNames(): void
  reserveProjects(): void
  projectsAddress(): number
  setAllowedProjects(bytes: number): void
  reservedEnd(): number
  replacementAddress(): number
  addSourceName(builderIndex: number, length: number): void
  ownNameAddress(): number
  addOwnName(length: number, precedesDefault: boolean): void
  setOwnBuilder(length: number, builder: number): void
  clearOwnNames(): void
  setDefaultBuilder(builder: number): void
  addArea(length: number): void
  scan(start: number, end: number, table: number, maxLines: number): number
  triggersAddress(): number
  setTriggers(count: number, digits: number): void
  hasTrigger(start: number, end: number): number
  scanAlone(start: number, end: number, row: number): void
  appendLines(from: number, to: number, nowUs: number): number
  stopCode(): number
  newSourceLength(): number
  appendLineTo(builder: number, line: number, nowUs: number): void
  splitJson(start: number, end: number, limit: number): number
  splitObjects(start: number, end: number, limit: number): number
  splitLines(start: number, end: number): void
  hasAdjacentObjects(start: number, end: number): number
  linesStart(): number
  linesEnd(): number
  clearBuilder(builder: number): void
}

/** The functions that the module imports: wasm/base/host.ts. */
export type Host = Record<
  'timestampOfText' | 'timestampOfNumber' | 'doubleOf',
  (start: number, end: number) => number
> & {
  putUuid(at: number): void
  hiddenThrough(builder: number, start: number, end: number): number
}

/** Creates an instance. Throws if `ingest.wasm` was not built (`node scripts/build-wasm.mjs`). */
export const instantiateIngest = (host: Host): Exports =>
  instantiate(new URL('./ingest.wasm', import.meta.url), { host })
