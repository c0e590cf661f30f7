import type { MemoryShare } from '../../../base/memory/memory-budget.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { ViewNote } from '../../engine.js'
import type { Key, PartialCache } from '../caches/partial-cache.js'
import type { RowCache } from '../caches/row-cache.js'
import type { SharedFrames } from '../caches/shared-frames.js'
import type { HotRows, OpenCold, Part } from '../columns/batch.js'
import type { Frame } from '../expressions/frame.js'
import type { FieldCache } from '../fields/field-cache.js'

/**
 * Rows that are read when an operator needs the rows. Operators are functions from lists of batches to lists of
 * batches.
 */
export interface LazyBatch {
  /** Least and greatest timestamp of the rows, as far as known. Otherwise -Infinity and Infinity. */
  readonly minUs: number
  readonly maxUs: number
  /** Set if the same rows come from the same part again. Results computed from the rows may then be cached. */
  readonly cached?: CachedRows
  /** Set if the rows are those of a slice. */
  readonly slice?: SliceBatch
  /** The slices that were joined. Absent if results of the rows cannot be cached. */
  readonly joined?: readonly CachedRows[]
  /** Reads the rows. The frame is valid until `use` has returned. Only cold columns can be read on, through `cold`. */
  read<T>(use: (frame: Frame) => T | Promise<T>): Promise<T>
  /**
   * Reads the rows in chunks in order of time. The first chunk has a few hundred rows, and each chunk is larger than
   * the chunk before. Present if reading all rows takes long. A row of a later chunk is not newer (`asc`: not older)
   * than a row of an earlier chunk. Ends before a chunk if `isWanted` resolves to false for the time of the chunk,
   * which none of the rows passes.
   */
  readByTime?: ReadByTime
  /**
   * Opens the part of the rows in advance, so that a later read need not wait for the disk. Returns a function that
   * ends that, to be called once. Absent if there is nothing to wait for.
   */
  openAhead?: () => () => void
  /**
   * Returns a way to open a reader of cold columns that caches the read rows. Absent if the rows are not
   * worth caching.
   */
  cachedReader?: (open: OpenCold) => OpenCold
}

/** A batch that is a slice of a part. */
export interface SliceBatch {
  part: Part
  /** Identifies the operators so far. */
  key: Key
  /** Whether the part has rows out of the range of time, so that the next run may want fewer of its slices. */
  isCut: boolean
  /** Returns this slice and the next slices of the part, `count` in all, as a single batch. */
  join(count: number): LazyBatch
}

/** Rows that never change. */
export interface CachedRows {
  part: Part
  /** The number of the slice. Absent if the rows are those of the whole part. */
  slice?: number | undefined
  /** Identifies the operators so far: the key of cached results. */
  key: Key
  gather?: Gather
}

/**
 * Calls `add` with the rows if the rows are found at once, as the rows of a project are. Returns the result of `add`.
 * If the result is false, nothing was read. The rows are valid until `add` has returned.
 */
export type Gather = (add: (rows: HotRows) => boolean) => boolean | Promise<boolean>

/** See {@link LazyBatch.readByTime}. */
export type ReadByTime = (
  direction: 'asc' | 'desc',
  isWanted: (timestampUs: number) => Promise<boolean>,
  use: (frame: Frame) => Promise<void>,
) => Promise<void>

/** The limits, the caches and the counters of a run. */
export interface RunContext {
  yieldIfDue: Yielder
  partialCache: PartialCache
  fieldCache: FieldCache
  rowCache: RowCache
  sharedFrames: SharedFrames
  /** Groups are kept for slices of about so many rows, where a part grows or is cut by a range of time. */
  sliceRows: number
  limits: QueryLimits
  /** Operators count the bytes that the operators hold. `yieldIfDue` waits if the bytes are too many. */
  memory: Pick<MemoryShare, 'add'>
  /** Called when a part is opened. Other parts are pruned by time. */
  onOpen(): void
  /** Counts rows that were scanned. */
  onScan(rows: number): void
  /** Called with the notes about the groups of views that were read. */
  onViewNote?: ((note: ViewNote) => void) | undefined
}

/** Bounds of a query. The service uses the constants of `engine.ts`. Tests pass smaller bounds. */
export interface QueryLimits {
  groups: number
  /** Memory of groups, sorted rows and collected values together. */
  bytes: number
}
