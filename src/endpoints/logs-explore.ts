import { MAX_EXPLORED_ROWS } from '../common/limits.js'
import { type Rows, union } from '../plan/builder.js'
import { call, column, literal } from '../plan/expression.js'
import type { Plan, TimeRange } from '../plan/plan.js'
import { type Position, readPosition } from '../plan/position.js'
import { endpoint, sql } from './endpoint.js'
import { EXPLORE_PARAMS, EXPLORED_SQL, exploredRange, exploredRows } from './explore-params.js'
import { invalidParameter, type Param } from './params.js'

/** The rows of a page without `limit`. */
export const DEFAULT_ROWS = 100

/** The number of rows of a page: a whole number from 1 to {@link MAX_EXPLORED_ROWS}. Throws `invalid_parameter`. */
const LIMIT: Param<number> = {
  required: false,
  description: `the most rows, from 1 to ${MAX_EXPLORED_ROWS}; default: ${DEFAULT_ROWS}`,
  schema: { type: 'integer', minimum: 1, maximum: MAX_EXPLORED_ROWS, default: DEFAULT_ROWS },
  read(value = String(DEFAULT_ROWS), name) {
    const rows = /^\d{1,4}$/.test(value) ? Number(value) : 0
    if (rows >= 1 && rows <= MAX_EXPLORED_ROWS) return rows
    throw invalidParameter(
      `The parameter "${name}" is no number of rows. Give it a whole number from 1 to ${MAX_EXPLORED_ROWS}.`,
    )
  },
}

/** The position of a row, or undefined if absent. Throws `invalid_parameter`. */
const cursor = (description: string): Param<Position | undefined> => ({
  required: false,
  description: `${description}: timestamp and rank of that row, with a dot between them`,
  schema: { type: 'string', examples: ['1795860000123456.1'] },
  read(value, name) {
    const position = value === undefined ? undefined : readPosition(value)
    if (value === undefined || position !== undefined) return position
    throw invalidParameter(
      `The parameter "${name}" is no cursor. Write timestamp and rank of a row with a dot between them: ` +
        '1795860000123456.1.',
    )
  },
})

/** The rows of a request in a part of the request's range of time, and the wanted number of rows. */
interface Page {
  range: TimeRange
  limit: number
  rowsIn(range: TimeRange): Rows<string>
}

const newest = (rows: Rows<string>, limit: number): Plan => rows.orderBy('timestamp', 'desc').rank('rank').limit(limit)

const oldest = (rows: Rows<string>, limit: number, offset = 0): Plan =>
  rows.orderBy('timestamp', 'asc').rank('rank').limit(limit, offset)

/** The first `limit` rows of several plans together, by timestamp and rank. */
const firstOf = (direction: 'asc' | 'desc', limit: number, ...plans: readonly [Plan, ...Plan[]]): Plan =>
  union(...plans)
    .orderBy('timestamp', direction)
    .thenBy('rank', direction)
    .limit(limit)

/** The rows of a page between two times, both included. */
function between({ range, rowsIn }: Page, fromUs: number, throughUs: number): Rows<string> {
  return rowsIn({ fromUs: Math.max(range.fromUs, fromUs), throughUs: Math.min(range.throughUs, throughUs) })
}

/** The newest rows older than a position. */
function rowsBefore(page: Page, { timestampUs, rank }: Position): Plan {
  const { limit } = page
  const older = newest(between(page, Number.NEGATIVE_INFINITY, timestampUs - 1), limit)
  const ties = between(page, timestampUs, timestampUs)
  const rows = Math.min(limit, rank - 1)
  if (rows < 1) return older
  const skipped = rank - 1 - rows
  const next = oldest(ties, rows, skipped)
  if (skipped === 0) return firstOf('desc', limit, next, older)
  // Used if fewer rows have this time than the cursor says: the newest of the rows with this time.
  const others = union(newest(ties, limit))
    .filter(call('le', column('rank'), literal(skipped)))
    .limit(limit)
  return firstOf('desc', limit, next, others, older)
}

/** The oldest rows newer than a position, newest first. */
function rowsAfter(page: Page, { timestampUs, rank }: Position): Plan {
  const { limit } = page
  const tied = oldest(between(page, timestampUs, timestampUs), limit, rank)
  const newer = oldest(between(page, timestampUs + 1, Number.POSITIVE_INFINITY), limit)
  return firstOf('desc', limit, firstOf('asc', limit, tied, newer))
}

/**
 * logs.explore: the rows of a source of a project that pass a filter, page by page.
 *
 * Gives   at most `limit` rows, newest first (timestamp, then arrival): id, timestamp (µs UTC), event_message,
 *         metadata, rank (the place of the row among the matching rows with the same timestamp, in order of arrival,
 *         from 1). `before` the cursor `<timestamp>.<rank>` of a row: the newest rows older than the row. `after` the
 *         cursor: the oldest rows newer than the row. Paging with `before` gives each row once, while rows arrive too:
 *         a new row has the last rank of the row's timestamp
 * Window  timestamp >= start (default: an hour before end, or before now), < end
 * Empty   no matching row: no row
 * Cost    the matching rows next to the cursor in each segment until there are enough. Without a cursor, the cold
 *         columns of the rows are streamed. With a cursor, the cold columns of up to three times `limit` rows are in
 *         memory, and the places of as many rows as the rank of the cursor says
 */
export const logsExplore = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d11',
  name: 'logs.explore',
  summary: 'The rows of a source, newest first, page by page',
  maxRows: MAX_EXPLORED_ROWS,
  cache: 'disabled',
  params: {
    ...EXPLORE_PARAMS,
    limit: LIMIT,
    before: cursor('only rows older than this one, the newest of them'),
    after: cursor('only rows newer than this one, the oldest of them'),
  },
  refusesUnknown: true,
  query: sql`
    select id, timestamp, event_message, metadata,
      -- the place of the row among those of its timestamp, in order of arrival
      rank
    ${EXPLORED_SQL}
      -- a cursor, <timestamp>.<rank>
      and (timestamp, rank) < @before
      and (timestamp, rank) > @after
    order by timestamp desc, rank desc
    limit @limit
  `,
  plan(args, nowUs) {
    const { limit, before, after } = args
    if (before !== undefined && after !== undefined)
      throw invalidParameter('The parameters "before" and "after" are both given. Give one of them.')
    const range = exploredRange(args, nowUs)
    const rowsIn = (part: TimeRange) =>
      exploredRows(args, nowUs, part).select('id', 'timestamp', 'event_message', 'metadata')
    if (before !== undefined) return rowsBefore({ range, limit, rowsIn }, before)
    if (after !== undefined) return rowsAfter({ range, limit, rowsIn }, after)
    return newest(rowsIn(range), limit)
  },
})
