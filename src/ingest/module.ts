import { SOURCES, type Source } from '../sources.js'
import { LINE_INTS, OUTCOME, type Scanner } from './fields.js'
import { createHost } from './host.js'
import { createLane, type Lane } from './lane.js'
import { addLanes, addNames, laneNumberOf } from './layout.js'
import type { Reason } from './rejects.js'
import { type Exports, growTo, instantiate } from './wasm.js'

export interface ModuleOptions {
  /** Bytes that can be scanned at a time, and lines. */
  capacityBytes: number
  maxLines: number
  /** The longest line that is taken. */
  maxLineBytes: number
  /** A batch is full when it holds this much. */
  batchRows: number
  batchBytes: number
  retentionUs: number
  /** The source of records that name none. */
  defaultSource?: Source
}

/**
 * An instance of the WebAssembly module (assembly): scans lines, SIMD throughout, and appends them to the columns of
 * their sources' batches. No object is made for a line.
 */
export interface Module extends Scanner {
  /**
   * Takes lines [from, to) of the table, received at `nowUs`; each is whole, valid UTF-8 and not too long. Returns the
   * index behind the last of them: `to`, unless one is refused or makes a batch full.
   */
  take(from: number, to: number, nowUs: number): number
  /** What the last `take` stopped at, if at anything: why its last line is refused, or the lane whose batch is full. */
  stop(): Reason | Lane | undefined
  /** In the order of SOURCES. */
  readonly lanes: readonly Lane[]
}

/** By the numbers that assembly/batch/verdicts.ts gives them. */
const VERDICTS: Record<number, Reason> = {
  [OUTCOME.invalidJson]: 'invalid_json',
  [OUTCOME.notAnObject]: 'not_an_object',
  [OUTCOME.tooDeep]: 'too_deep',
  5: 'missing_source',
  6: 'unknown_source',
  7: 'invalid_field',
  8: 'invalid_timestamp',
  9: 'too_old',
  10: 'too_far_ahead',
}

/** The module reads this far behind the bytes it is given, at most. */
const MARGIN_BYTES = 64

/**
 * Its memory is sized once, all columns of all sources with it, and never grows: what is not touched costs nothing.
 * Throws if `ingest.wasm` was not built.
 */
export function createModule(options: ModuleOptions): Module {
  const { capacityBytes, maxLines, retentionUs, defaultSource } = options
  let memory: Buffer
  const exports = instantiate(createHost(() => memory))
  const bytesAt = exports.bytesAddress()
  const tableAt = Math.ceil((bytesAt + capacityBytes + MARGIN_BYTES) / MARGIN_BYTES) * MARGIN_BYTES
  const addresses = reserve(exports, tableAt, options)
  const { buffer } = exports.memory
  memory = Buffer.from(buffer)
  const bytes = new Uint8Array(buffer, bytesAt, capacityBytes)
  addNames(exports, bytes)
  exports.setRules(retentionUs, laneNumberOf(defaultSource))
  const lanes = addresses.map((at, i) => createLane(SOURCES[i]!.name, buffer, at, () => exports.clearLane(at)))

  function stop(): Reason | Lane | undefined {
    const stopped = exports.stop()
    return stopped < 0 ? lanes[~stopped] : VERDICTS[stopped]
  }

  return {
    bytes,
    table: new Int32Array(buffer, tableAt, LINE_INTS * maxLines),
    maxLines,
    scan: (start, end) => exports.scan(start, end, tableAt, maxLines),
    take: exports.take,
    stop,
    lanes,
  }
}

/** Sizes the memory, and gives the addresses of the lanes. */
function reserve(exports: Exports, tableAt: number, options: ModuleOptions): number[] {
  const { maxLines, maxLineBytes, batchRows, batchBytes } = options
  exports.setSizes(tableAt, maxLines, maxLineBytes, batchRows, batchBytes)
  exports.reserveScratch()
  const lanes = addLanes(exports)
  growTo(exports.memory, exports.reservedEnd())
  return lanes
}
