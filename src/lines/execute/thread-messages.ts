import type { BlockResult } from './block-result.js'
import type { LinesFormat } from './formats.js'

/** The query of a thread. The plan of its text has a single stage that reads lines. */
export interface ThreadQuery {
  sql: string
  /** The time of the query, in microseconds since the epoch. */
  nowUs: number
  /** The field that has the time of a row. Undefined: times are not read. */
  timeField: string | undefined
  /** The most bytes of groups and of sorted rows. */
  limitBytes: number
  format: LinesFormat
}

/** A block for a thread, or the end: the thread then sends its groups. */
export type ThreadWork = { block: Uint8Array<ArrayBuffer> } | { end: true }

/** The answer to a {@link ThreadWork}. Answers come in the order of the work. */
export type ThreadAnswer =
  | { result: BlockResult }
  /** See `readGroups`. */
  | { groups: Uint8Array<ArrayBuffer> }
  | { failure: { code: string | undefined; message: string } }
