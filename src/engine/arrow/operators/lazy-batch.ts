import type { MemoryShare } from '../../../base/memory-budget.js'
import type { Yielder } from '../../../base/time-slices.js'
import type { HotRows, OpenCold, Part } from '../columns/batch.js'
import type { Frame } from '../expressions/frame.js'
import type { FieldCache } from '../fields/field-cache.js'
import type { Key, PartialCache } from './partial-cache.js'
import type { RowCache } from './row-cache.js'
import type { SharedFrames } from './shared-frames.js'

/** Rows that are read when an operator needs them. Operators are functions from lists of these to lists of these. */
export interface LazyBatch {
  /** Least and greatest timestamp of its rows, as far as known; -Infinity and Infinity if not. */
  readonly minUs: number
  readonly maxUs: number
  /**
   * If the same rows come from the same part again: the part, and a key of the operators so far. Results computed from
   * them may be kept under it.
   */
  readonly cached?: { part: Part; key: Key; offer?: Offer }
  /** Reads the rows; the frame is valid until `use` has returned. Only cold columns can be read on, through `cold`. */
  read<T>(use: (frame: Frame) => T | Promise<T>): Promise<T>
  /**
   * Reads the rows in chunks in order of time, the first of a few hundred rows and each larger than the one before:
   * present if reading all rows takes long. A row of a later chunk is not newer (`asc`: not older) than one of an
   * earlier chunk. Ends before a chunk if `isWanted` resolves to false for its time, which none of its rows passes.
   */
  readByTime?: ReadByTime
  /** Returns a way to open a reader of cold columns that keeps the rows that it reads in a cache, if it is worth it. */
  keepRows?: (open: OpenCold) => OpenCold
}

/**
 * Calls `add` with the rows if they are found at once, as those of a project are, and returns its result. If that is
 * false, nothing was read. The rows are valid until `add` has returned.
 */
export type Offer = (add: (rows: HotRows) => boolean) => boolean | Promise<boolean>

/** See {@link LazyBatch.readByTime}. */
export type ReadByTime = (
  direction: 'asc' | 'desc',
  isWanted: (timestampUs: number) => Promise<boolean>,
  use: (frame: Frame) => Promise<void>,
) => Promise<void>

/** The limits, the caches and the counters of one run. */
export interface RunContext {
  yieldIfDue: Yielder
  partialCache: PartialCache
  fieldCache: FieldCache
  rowCache: RowCache
  sharedFrames: SharedFrames
  limits: QueryLimits
  /** Operators count the bytes that the operators hold. `yieldIfDue` waits if the bytes are too many. */
  memory: Pick<MemoryShare, 'add'>
  /** Called when a part is opened; others are pruned by their times. */
  onOpen(): void
  /** Counts rows that were scanned. */
  onScan(rows: number): void
}

/** Bounds of one query; the service's are the constants of `engine.ts`, tests pass smaller ones. */
export interface QueryLimits {
  groups: number
  /** Memory of groups, sorted rows and collected values together. */
  bytes: number
}
