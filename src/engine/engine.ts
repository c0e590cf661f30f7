import { LogweirError } from '../base/errors.js'
import { MIB } from '../base/units.js'
import type { SourceName } from '../sources.js'
import type { Plan } from './plan.js'

/** A JSON text that goes into an answer as it stands, every number spelled as it came. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Value = string | number | null | RawJson
export type Row = Readonly<Record<string, Value>>

/**
 * One batch of rows of one source: an Arrow IPC stream that holds exactly one record batch
 * with the schema `batchSchema(source)`. The bytes are the caller's again once `append` has resolved.
 */
export interface IngestBatch {
  source: SourceName
  rows: number
  ipc: Uint8Array
}

/** What is held of one source, exact to the byte of its buffers. */
export interface SourceStats {
  source: SourceName
  rows: number
  segments: number
  /** Bytes that queries filter and aggregate, bytes of sealed cold columns, bytes not yet sealed. */
  hotBytes: number
  coldBytes: number
  headBytes: number
}

/** How many groups a run may make, and how much memory they may take; beyond that it is refused. */
export interface GroupingLimits {
  groups: number
  bytes: number
}

export const GROUPING_LIMITS: GroupingLimits = { groups: 100_000, bytes: 128 * MIB }

export const tooManyGroups = ({ groups, bytes }: GroupingLimits) =>
  new LogweirError(
    'too_many_groups',
    `The query groups more values than it may: ${groups.toLocaleString('en-US')} groups, or ${bytes / MIB} MiB of them. Ask for a shorter time, or for one project.`,
  )

/** What a run has looked at. */
export interface ScanStats {
  /** Rows that were looked at, as far as the engine knows: not those of which it has kept what it needs. */
  rows: number
  /** Segments and open heads of the source, and how many of them the run left closed, by their times alone. */
  segments?: { total: number; pruned: number }
}

export interface RunOptions {
  /** Stops the work within one slice; the promise then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Is told once, before the promise resolves; not of a plan that has no rows. */
  onScanStats?(work: ScanStats): void
}

/** Which rows are followed, and what is told of each. */
export interface FollowQuery {
  source: SourceName
  project: string
  columns: readonly string[]
}

/**
 * Is told of rows that have arrived, in their order, and whether others before them are left out. They can be read until
 * it returns, no longer; it may leave off.
 */
export type RowListener = (rows: Iterable<Row>, hasGap: boolean) => void

/** One who follows rows. */
export interface Subscription {
  /**
   * Runs a plan of rows, of this project and these columns, over those that were there when they began to be followed and
   * those that have been told of since, and no others; `told` is how many those are.
   */
  run(plan: Plan, options?: RunOptions): Promise<{ rows: AsyncIterable<Row>; told: number }>
  stop(): void
}

export interface Engine {
  /** Takes in the rows that earlier processes have kept. Once, and before anything else is asked. */
  recover(): Promise<void>
  /** What keeps it from taking rows at the moment, if anything does: a full disk. It goes on by itself when that has passed. */
  writeFailure(): Error | undefined
  /**
   * Appends one batch, whole or not at all, after every batch appended before it. Resolves when its rows are
   * visible to {@link run} and the engine has room for more: a caller that awaits it is held back by it.
   */
  append(batch: IngestBatch): Promise<void>
  /**
   * Runs a plan over one state of the rows. All scanning is done when the promise resolves; what is read
   * afterwards, row by row, is the cold columns of the rows of the answer.
   */
  run(plan: Plan, options?: RunOptions): Promise<AsyncIterable<Row>>
  /**
   * Tells of every row of a project that arrives from now on, once, soon after it is visible. Who is told holds `append`
   * back for as long as that takes.
   */
  follow(followed: FollowQuery, arrived: RowListener): Promise<Subscription>
  stats(): SourceStats[]
  /** From now on {@link append} holds nobody back who could be let in: the service stops, and what it has read is little. */
  disableBackpressure(): void
  /** Finishes work under way and lets go of timers. */
  close(): Promise<void>
}
