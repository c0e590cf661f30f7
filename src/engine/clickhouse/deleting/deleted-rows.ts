import type { SourceName } from '../../../common/sources.js'
import { columnsOf } from '../../../plan/expression.js'
import type { DeletedFrom, Deletion } from '../../deletion.js'
import { createFollowFilter, type FollowFilter } from '../follow/follow-filter.js'
import { lowerCondition } from '../lowering/conditions.js'
import { isException } from '../lowering/operands.js'
import { int64Value, textValue, timeCondition } from '../server/values.js'

/** The rows of a source that a deletion concerns, as conditions in SQL. */
export interface DeletedRows {
  /** True in rows of the deletion alone, and in all of them but the undecided. Undefined if the server decides none. */
  decided: string | undefined
  /** The rows that the process has to decide. Undefined if there are none. */
  undecided: UndecidedRows | undefined
}

/** Rows for which the server cannot tell whether a deletion concerns them. */
export interface UndecidedRows {
  /** True in each of these rows. */
  sql: string
  /** Tells which of the rows the deletion concerns. */
  filter: FollowFilter
}

/** The columns that a {@link FollowFilter} reads. */
const READABLE = new Set(['id', 'timestamp', 'event_message', 'project', 'metadata'])

/**
 * Returns the rows of a source that a deletion concerns: rows that arrived at `lastHead` or before, a time in
 * microseconds. `readsJson` tells whether the server reads fields without a column. Undefined if the condition reads
 * a column that neither side decides on.
 */
export function deletedRows(
  { project, fromUs, throughUs }: Pick<Deletion, 'project' | 'fromUs' | 'throughUs'>,
  { lastHead, where }: DeletedFrom,
  source: SourceName,
  readsJson: boolean,
): DeletedRows | undefined {
  const range = [
    `project = ${textValue(project)}`,
    timeCondition({ fromUs, throughUs }),
    `arrived <= ${int64Value(lastHead)}`,
  ].join(' AND ')
  if (where === undefined) return { decided: range, undecided: undefined }
  const table = { source, readsJson }
  const lowered = lowerCondition(where, table)
  const exception = lowered && isException(lowered.exceptions)
  if (lowered !== undefined && exception === undefined) {
    return { decided: `${range} AND ${lowered.isTrue}`, undecided: undefined }
  }
  if ([...columnsOf(where)].some((name) => !READABLE.has(name))) return undefined
  const filter = createFollowFilter(where, table)
  if (lowered === undefined) {
    return { decided: undefined, undecided: { sql: [range, ...filter.sql].join(' AND '), filter } }
  }
  return {
    decided: `${range} AND ${lowered.isTrue} AND NOT (${exception})`,
    undecided: { sql: `${range} AND (${exception})`, filter },
  }
}
