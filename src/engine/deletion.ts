import type { SourceName } from '../common/sources.js'
import type { Expression } from '../plan/expression.js'

/** Rows of a project that were deleted on request: those that were stored when the request was accepted. */
export interface Deletion {
  id: string
  project: string
  /** Bounds of the timestamps, both included, in microseconds since the epoch. */
  fromUs: number
  throughUs: number
  /** The sources of the rows. Rows of other sources stay. */
  sources: ReadonlyMap<SourceName, DeletedFrom>
}

/** Which rows of a source are deleted. */
export interface DeletedFrom {
  /** The number of the newest head that was stored when the deletion was accepted. Rows of later heads stay. */
  lastHead: number
  /** Only rows for which this is true. The condition raises no error in any row. */
  where: Expression | undefined
}

/** The rows that a deletion has removed from the files. */
export interface ErasedRows {
  rows: number
  /** The bytes by which the files of rows have become smaller. */
  bytes: number
}

/** Deletes rows of an engine for good. The next process hides and erases interrupted deletions again. */
export interface DeletingEngine {
  /**
   * Closes the open heads of sources that have rows of a project. Resolves with the number of the newest head of each
   * source that may have some: rows of the project that are appended from now on are in later heads.
   */
  closeHeads(sources: readonly SourceName[], project: string): Promise<ReadonlyMap<SourceName, number>>
  /** Hides rows from every read that starts from now on. To be called before `recover`, or after `closeHeads`. */
  hide(deletion: Deletion): void
  /**
   * Removes hidden rows from all files. Resolves when the last byte is gone. Rejects with the reason of the signal, or
   * with the system's error.
   */
  erase(deletion: Deletion, signal: AbortSignal): Promise<ErasedRows>
}

/** Tells how long rows are kept, by project and source. Times are in microseconds since the epoch. */
export interface RowLimits {
  /** Returns the time of the newest row of any project that is hidden at a time: later rows are all visible. */
  newestHiddenUs(source: SourceName, nowUs: number): number
  /**
   * Returns the time through which rows of a project, or without a project, are hidden at a time. At most the result of
   * `newestHiddenUs`, -Infinity if nothing is hidden.
   */
  hiddenThroughUs(source: SourceName, project: string | undefined, nowUs: number): number
  /**
   * Returns the time through which rows of a project may be removed, given a time that the clock has been past for
   * long enough.
   */
  removableThroughUs(source: SourceName, project: string | undefined, settledUs: number): number
  /**
   * Returns the settled time from which other rules tell the rows that may be removed, Infinity if the rules of a
   * settled time are the last: until then `removableThroughUs` grows no faster than the settled time.
   */
  nextRulesUs(settledUs: number): number
  /** Grows with each change of the limits. */
  readonly revision: number
}
