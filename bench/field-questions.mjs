/**
 * Plans over fields and messages: functions of a project and the end of the week in microseconds. With a third argument
 * that is true, the order of the rows has no ties, which costs time but makes the answers of engines comparable.
 */
import { call, column, field, literal } from '../dist/plan/expression.js'

const DAY_US = 86_400e6
/** Matches few messages: failed sign-ins. */
export const RARE_PATTERN = '\\| 5\\d\\d \\|.*/auth/v1/token'

const keyOf = (name, value) => ({ name, value })
const count = { name: 'count', value: { fn: 'count', args: [] } }
const desc = (by) => ({ by, direction: 'desc', nulls: 'last' })
const newest = { op: 'orderBy', keys: [desc(column('timestamp'))] }
const limit = { op: 'limit', rows: 100, offset: 0 }
const row = {
  op: 'select',
  columns: ['id', 'timestamp', 'event_message', 'metadata'].map((name) => keyOf(name, column(name))),
}

function scan(project, endUs, days) {
  return [
    { op: 'scan', sources: ['edge_logs'], fromUs: endUs - days * DAY_US, throughUs: endUs },
    { op: 'filter', where: call('eq', column('project'), literal(project)) },
  ]
}

const where = (condition) => ({ op: 'filter', where: condition })
const groupBy = (...keys) => ({ op: 'group', keys, aggregates: [count] })

const asc = (name) => ({ by: column(name), direction: 'asc', nulls: 'first' })

/** Counts by fields: the 100 largest. */
function largestBy(paths, isOrdered) {
  const ties = isOrdered ? paths.map(asc) : []
  return [
    groupBy(...paths.map((path) => keyOf(path, field(path)))),
    { op: 'orderBy', keys: [desc(column('count')), ...ties] },
    limit,
  ]
}

const STATUS = field('response.status_code')

/** The questions by name. */
export const QUESTIONS = {
  'status classes by hour, one day': (project, endUs, isOrdered) => [
    ...scan(project, endUs, 1),
    groupBy(
      keyOf('hour', call('timestamp_trunc', column('timestamp'), literal('hour'))),
      keyOf('class', call('floor', call('div', STATUS, literal(100)))),
    ),
    ...(isOrdered ? [{ op: 'orderBy', keys: ['hour', 'class'].map(asc) }] : []),
  ],
  'newest 100 with status >= 500 and method POST': (project, endUs) => [
    ...scan(project, endUs, 7),
    where(call('and', call('ge', STATUS, literal(500)), call('eq', field('request.method'), literal('POST')))),
    newest,
    limit,
    row,
  ],
  'count by method, path, status, 7 days, top 100': (project, endUs, isOrdered) => [
    ...scan(project, endUs, 7),
    ...largestBy(['request.method', 'request.path', 'response.status_code'], isOrdered),
  ],
  'count by request.cf.country, 7 days': (project, endUs, isOrdered) => [
    ...scan(project, endUs, 7),
    ...largestBy(['request.cf.country'], isOrdered),
  ],
  'newest 100 whose message matches a rare pattern, 7 days': (project, endUs) => [
    ...scan(project, endUs, 7),
    where(call('regexp_contains', column('event_message'), literal(RARE_PATTERN))),
    newest,
    limit,
    row,
  ],
}
