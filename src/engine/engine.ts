import { LogweirError } from '../base/errors.js'
import { type MemoryShare, tooMuchMemory } from '../base/memory/memory-budget.js'
import type { Yielder } from '../base/scheduling/time-slices.js'
import { MIB } from '../base/units.js'
import type { SourceName } from '../common/sources.js'
import type { Usage, UsageQuery } from '../common/usage.js'
import type { Row } from '../plan/answer.js'
import type { Expression } from '../plan/expression.js'
import type { Plan, TimeRange, ViewSource } from '../plan/plan.js'
import type { Scalar } from '../plan/values/values.js'
import type { DeletingEngine } from './deletion.js'
import type { UsageRun } from './usage.js'

/**
 * A batch of rows of a single source: an Arrow IPC stream with exactly one record batch with the schema
 * `batchSchema(source)`.
 */
export interface IngestBatch {
  source: SourceName
  rows: number
  ipc: Uint8Array
  /**
   * Called once, when the engine no longer reads `ipc`: the caller may reuse the bytes then. Without `release`, the
   * engine does not read the bytes after `append` has resolved.
   */
  release?(): void
}

/** Rows, segments and buffer bytes of a source. */
export interface SourceStats {
  source: SourceName
  rows: number
  segments: number
  /** Bytes of the sealed columns that queries filter and aggregate. */
  hotBytes: number
  /** Bytes of the sealed columns that are read only for the rows of an answer. */
  coldBytes: number
  /** Bytes not yet sealed. */
  headBytes: number
}

/**
 * The most groups that a run may make, Infinity if only memory counts, and the most memory of the groups. A run beyond
 * either limit fails.
 */
export interface GroupingLimits {
  groups: number
  bytes: number
}

/** The limits of every query of the service. */
export const GROUPING_LIMITS: GroupingLimits = { groups: 100_000, bytes: 128 * MIB }

/** Returns the limits of a query. The memory may be less than the most memory of each query. */
export const limitsOf = ({ groups, bytes }: GroupingLimits, { limitBytes }: Pick<MemoryShare, 'limitBytes'>) => ({
  groups,
  bytes: Math.min(bytes, limitBytes),
})

/** A plan of at most this many rows, the first of an order, may make as many groups as the memory holds. */
export const MAX_FIRST_ROWS = 1_000

/** Returns the limits of a plan that is run in this process. `keepsFewRows`: few rows of the answer are kept. */
export function limitsOfPlan(plan: Plan, limits: GroupingLimits, keepsFewRows = false): GroupingLimits {
  const limit = plan.at(-1)
  const order = plan.slice(0, -1).findLast(({ op }) => op !== 'select')
  const isOfFirst = order?.op === 'orderBy' && limit?.op === 'limit' && limit.offset + limit.rows <= MAX_FIRST_ROWS
  return isOfFirst || keepsFewRows ? { ...limits, groups: Number.POSITIVE_INFINITY } : limits
}

/** Returns the error of a run beyond the limits: `too_many_groups`, or `too_much_memory` if only memory counts. */
export const tooManyGroups = ({ groups, bytes }: GroupingLimits) =>
  groups === Number.POSITIVE_INFINITY ? tooMuchMemory(bytes) : tooManyOf(groups, bytes)

const tooManyOf = (groups: number, bytes: number) =>
  new LogweirError(
    'too_many_groups',
    `The query exceeds the limit of ${groups.toLocaleString('en-US')} groups or ${Math.round(bytes / MIB)} MiB of ` +
      'them. Query a shorter time, or one project.',
  )

/** How much a run read. */
export interface ScanStats {
  /** Rows scanned, as far as the engine knows. Rows answered from a cache of partial results do not count. */
  rows: number
  /** Segments and open heads of the source, and how many of the segments and heads were pruned by time. */
  segments?: { total: number; pruned: number }
}

/** Cancellation and statistics of a run. */
export interface RunOptions {
  /** The memory of the query. Without a share, each step has the memory that the engine permits. */
  memory?: MemoryShare
  /** Cancels the run within a time slice. The promise then rejects with the signal's reason. */
  signal?: AbortSignal
  /**
   * The caller reads row by row and keeps few: the plan may make as many groups as the memory holds. An engine that
   * leaves groups to a server may limit their number all the same.
   */
  keepsFewRows?: boolean
  /** Called once, before the promise resolves. Not called for the empty plan. */
  onScanStats?(stats: ScanStats): void
  /** Called with the notes about the groups of views that were read, before the promise resolves. */
  onViewNote?: ((note: ViewNote) => void) | undefined
}

/**
 * A note about groups of a view: some groups have lost their keys, since there were too many; the view is new, and
 * complete from a time on; or there are more groups, of buckets that start before a time. Times are in microseconds
 * since the epoch.
 */
export type ViewNote = 'partial' | { buildingFromUs: number } | { moreBeforeUs: number }

/** How often the window of a plan is moved, the first window included, and by how much each time, in microseconds. */
interface Moves {
  count: number
  stepUs: number
}

/** Returns the rows of a window. */
export type Ask = () => Promise<AsyncIterable<Row>>

/** The rows that a subscription delivers, and their columns. */
export interface FollowQuery {
  source: SourceName
  project: string
  columns: readonly string[]
  /**
   * Only rows for which this is true: a condition on `id`, `timestamp`, `event_message`, `project` and fields of the
   * metadata. The condition raises no error in any row.
   */
  where?: Expression | undefined
}

/**
 * Called with new rows in order of arrival. `hasGap` if earlier rows were skipped. The rows are valid only until the
 * call returns. The listener may stop reading before the end.
 */
export type RowListener = (rows: Iterable<Row>, hasGap: boolean) => void

/** The rows of a plan that a subscription runs. */
export interface FollowedRows {
  rows: AsyncIterable<Row>
  /** The number of rows that the subscription has delivered once all rows of the answer are delivered. */
  delivered: number
  /** Set if older rows of the plan may be missing, since too many rows had to be read. */
  isCut?: boolean
}

/** A running {@link Engine.follow}. */
export interface Subscription {
  /**
   * Runs a plan of the newest rows, with the project, the columns and the condition of the subscription, perhaps with
   * ranks. The plan reads exactly the rows that were stored when the subscription started and the rows delivered since.
   */
  run(plan: Plan, options?: RunOptions): Promise<FollowedRows>
  /** Ends the subscription: the listener is not called again. */
  stop(): void
}

/** The groups of a view that a plan reads: of buckets that start in a range of time. */
export interface ViewRange extends TimeRange {
  /**
   * The only project of the groups that are read. Undefined: the groups of all projects, and groups without a project.
   */
  project: string | undefined
}

/** The memory and the callbacks of the reader of a view. */
export interface ViewRun {
  memory: Pick<MemoryShare, 'add'>
  /** The most bytes that the reader holds at a time. */
  limitBytes: number
  yieldIfDue: Yielder
  onNote?: ((note: ViewNote) => void) | undefined
}

/**
 * Reads groups of a view, some at a time: those of a single project in order, the newest bucket first, those of all
 * projects in any order. Each group is a row of values in the order of the columns of the view, with the final
 * values of aggregates. May return groups out of the range. Leaves out the groups that are
 * older than the view keeps them. Rejects with `unsupported_by_engine` if no view has this name and identity.
 */
export type ReadView = (
  view: ViewSource,
  range: ViewRange,
  run: ViewRun,
) => AsyncIterable<readonly (readonly Scalar[])[]>

/** Returns the error of an engine that keeps no views. */
export const noViews = (reason: string) =>
  new LogweirError('unsupported_by_engine', `Views cannot be read here: ${reason}.`)

/** Stores batches and runs plans over the stored rows. Every implementation returns the same answers. */
export interface Engine {
  /** Loads the rows that earlier processes have stored. Call `recover` once, before anything else. */
  recover(): Promise<void>
  /** Returns the error that currently blocks writes, e.g. a full disk, or undefined. The engine retries by itself. */
  writeFailure(): Error | undefined
  /**
   * Appends a batch, whole or not at all, after every batch appended before. Resolves when the rows are visible to
   * {@link run} and the engine has room for more: awaiting the promise applies backpressure to the caller.
   */
  append(batch: IngestBatch): Promise<void>
  /**
   * Runs a plan over a snapshot of the rows. All scanning is done when the promise resolves. Iterating the rows
   * afterwards reads only the cold columns of the answer's rows.
   */
  run(plan: Plan, options?: RunOptions): Promise<AsyncIterable<Row>>
  /**
   * Runs a plan for each of several windows over a single snapshot of the rows: {@link run} with the range of the
   * plan's scan, which is the first window, later by `stepUs` each time. Yields for each window, in order, a function
   * that returns the rows, to be called before the next window. The function rejects as `run` does. The iteration
   * rejects if a row cannot be grouped, or with `too_much_memory`, where `run` might not. Undefined if the plan is not
   * the grouping of a single scan with both bounds. Absent if the engine has no way that is quicker than a run for each
   * window.
   */
  runMoved?(plan: Plan, moves: Moves, options?: RunOptions): Promise<AsyncIterable<Ask> | undefined>
  /**
   * Returns the paths of the metadata of which columns have the values of all sealed rows that a plan may read, each as
   * its keys, so that an aggregate of them reads no record of sealed rows. None if that would still take long. Absent
   * if the engine runs no `top_values`.
   */
  columnPaths?(plan: Plan): Promise<readonly (readonly string[])[]>
  /**
   * Delivers every row of a project that is appended from now on to `listener`, once, soon after the row is visible.
   * `append` waits until the listener returns. With a condition `append` does not wait, and the listener is called a
   * little later, after the condition was evaluated.
   */
  follow(query: FollowQuery, listener: RowListener): Promise<Subscription>
  /**
   * Returns a number that grows with each change of the rows of a source that {@link run} reads: rows that became
   * visible, rows that were deleted. Absent if other processes change the rows too.
   */
  revision?(source: SourceName): number
  /** Deletes rows for good. Absent if the engine cannot. */
  readonly deleting?: DeletingEngine
  /** Returns the statistics of every source, empty sources included. */
  stats(): SourceStats[]
  /**
   * Counts the rows that are stored, by project, source and UTC day, in the order of `byDay`: also rows that queries
   * no longer read, until the rows are removed. Rejects with `too_many_groups` and `too_much_memory`, and with the
   * reason of the signal.
   */
  usage(query: UsageQuery, run: UsageRun): Promise<Usage[]>
  /**
   * Makes {@link append} stop waiting, also the pending calls: for room, and for a disk that cannot be written to. A
   * batch that cannot be stored gets a last attempt, and `append` rejects. Called at shutdown, when little unread input
   * is left.
   */
  stopWaiting(): void
  /** Finishes pending work and stops timers. */
  close(): Promise<void>
}
