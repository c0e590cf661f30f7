import { allSources } from '../../src/common/sources.js'
import { oracle, type Params } from '../oracle/oracle.js'
import { edge, type PartialRecord, type TestRecord } from '../support/records.js'
import { at, type Case, upTo } from './case.js'

const nowUs = at('2026-11-20T10:37:42.500000Z')
const TIED_US = at('2026-11-20T10:00:00.000001Z')

/** The answer has the rows with the given ids, in this order. The oracle gives the rows of the ids. */
function explores(
  name: string,
  records: readonly TestRecord[],
  params: Params,
  ids: readonly (string | readonly [id: string, rank: number])[],
): Case {
  const rows = ids.map((given) => {
    const [id, rank] = typeof given === 'string' ? ([given, 1] as const) : given
    const { timestampUs, event_message, metadata } = records.find((record) => record.id === id)!
    return { id, timestamp: timestampUs, event_message, metadata: { json: metadata }, rank }
  })
  const asked = { project: 'a', source: 'edge_logs', ...params }
  return { name: `logs.explore: ${name}`, endpoint: 'logs.explore', records, params: asked, nowUs, rows }
}

/** The same, with the rows of the oracle: for answers of many rows. */
function compares(name: string, records: readonly TestRecord[], params: Params): Case {
  const asked = { project: 'a', source: 'edge_logs', ...params }
  const rows = oracle('logs.explore', records, asked, nowUs)
  return { name: `logs.explore: ${name}`, endpoint: 'logs.explore', records, params: asked, nowUs, rows }
}

const rowAt = (id: string, offsetUs: number, given: PartialRecord = {}) =>
  edge({ id, timestampUs: TIED_US + offsetUs, ...given })

/** In order of arrival: four rows of a time, two earlier rows, a later row, and rows of other projects and sources. */
const TIED = [
  rowAt('late', 5),
  rowAt('t1', 0),
  rowAt('other', 0, { project: 'b' }),
  rowAt('t2', 0, { metadata: { request: { method: 'GET' } } }),
  rowAt('e2', -1),
  rowAt('t3', 0),
  rowAt('database', 0, { source: 'postgres_logs' }),
  rowAt('e1', -2),
  rowAt('t4', 0, { metadata: { request: { method: 'GET' } } }),
]
const WHOLE = [
  ['late', 1],
  ['t4', 4],
  ['t3', 3],
  ['t2', 2],
  ['t1', 1],
  ['e2', 1],
  ['e1', 1],
] as const
const cursorAt = (rank: number, offsetUs = 0) => `${TIED_US + offsetUs}.${rank}`

const CURSORS = [
  explores('rows of equal times go by arrival, the latest first', TIED, {}, WHOLE),
  explores('a limit', TIED, { limit: '3' }, WHOLE.slice(0, 3)),
  explores('before a row among those of its time', TIED, { before: cursorAt(3) }, WHOLE.slice(3)),
  explores('before it, with a limit within its time', TIED, { before: cursorAt(4), limit: '2' }, WHOLE.slice(2, 4)),
  explores('before it, with a limit beyond its time', TIED, { before: cursorAt(2), limit: '2' }, WHOLE.slice(4, 6)),
  explores('before the first of its time', TIED, { before: cursorAt(1) }, WHOLE.slice(5)),
  explores('before the place before all of its time', TIED, { before: cursorAt(0) }, WHOLE.slice(5)),
  explores('before a rank that no row has', TIED, { before: cursorAt(99), limit: '2' }, WHOLE.slice(1, 3)),
  explores(
    'before such a rank, with all rows of its time',
    TIED,
    { before: cursorAt(7), limit: '3' },
    WHOLE.slice(1, 4),
  ),
  explores('before the largest rank', TIED, { before: cursorAt(9_999_999_999), limit: '9' }, WHOLE.slice(1)),
  explores('before a time that no row has', TIED, { before: cursorAt(1, 3) }, WHOLE.slice(1)),
  explores('before the oldest row', TIED, { before: cursorAt(1, -2) }, []),
  explores('after a row among those of its time', TIED, { after: cursorAt(3) }, WHOLE.slice(0, 2)),
  explores('after it, with a limit within its time', TIED, { after: cursorAt(1), limit: '2' }, WHOLE.slice(2, 4)),
  explores('after an older row, the next ones', TIED, { after: cursorAt(1, -2), limit: '3' }, WHOLE.slice(3, 6)),
  explores('after the last of its time', TIED, { after: cursorAt(4) }, WHOLE.slice(0, 1)),
  explores('after a rank that no row has', TIED, { after: cursorAt(99) }, WHOLE.slice(0, 1)),
  explores('after the newest row', TIED, { after: cursorAt(1, 5) }, []),
  explores('after the beginning', TIED, { after: '-9.0', limit: '2' }, WHOLE.slice(5)),
  explores('an empty cursor is none', TIED, { before: '', after: '', limit: '' }, WHOLE),
]

const GET = JSON.stringify([{ field: 'request.method', op: '=', value: 'GET' }])
const NO_GET = JSON.stringify([{ field: 'request.method', op: 'missing' }])

/** Alternatives, also of another project, which the request still excludes. */
const EITHER = JSON.stringify([
  [
    { field: 'request.method', op: '=', value: 'GET' },
    { field: 'response.status_code', op: '>', value: 499 },
    { field: 'project', op: '!=', value: 'a' },
  ],
  { field: 'id', op: 'not_in', value: ['t2'] },
])

const FILTERS = [
  explores(
    'alternatives, of which one must hold',
    [...TIED, rowAt('failed', 9, { metadata: { response: { status_code: 500 } } })],
    { filter: EITHER },
    ['failed', ['t4', 1]],
  ),
  explores('ranks count the rows that pass a filter', TIED, { filter: GET }, [
    ['t4', 2],
    ['t2', 1],
  ]),
  explores('a filter before a row', TIED, { filter: NO_GET, before: cursorAt(2) }, ['t1', 'e2', 'e1']),
  explores('a filter after a row', TIED, { filter: GET, after: cursorAt(1), limit: '1' }, [['t4', 2]]),
  explores(
    'a search ignores case',
    [rowAt('1', 0, { event_message: 'Über ALLES' }), rowAt('2', 0, { event_message: 'nothing' })],
    { search: 'alles' },
    ['1'],
  ),
]

const RANGE = [rowAt('1', 0), rowAt('2', 1), rowAt('3', 2)]
const isoAt = (digit: number) => `2026-11-20T10:00:00.00000${digit}Z`

const RANGES = [
  explores('the start is in the range, the end is not', RANGE, { start: isoAt(1), end: isoAt(3) }, ['2', '1']),
  explores('a cursor outside of the range', RANGE, { end: isoAt(2), before: cursorAt(2, 2) }, ['1']),
  explores('a cursor beyond the other end', RANGE, { start: isoAt(2), before: cursorAt(1, 0) }, []),
  explores('after a cursor before the range', RANGE, { start: isoAt(2), after: cursorAt(1, -9), limit: '1' }, ['2']),
  explores(
    'without a start, an hour before the end',
    [rowAt('1', 0), rowAt('2', 1)],
    { end: '2026-11-20T11:00:00.000002Z' },
    ['2'],
  ),
  explores(
    'without either, an hour before now, and the future',
    [-3_600_000_001, -3_600_000_000, 1].map((us) => edge({ id: `${us}`, timestampUs: nowUs + us })),
    {},
    ['1', '-3600000000'],
  ),
]

const NAMES = allSources().flatMap(({ name, alias }) =>
  [name, ...(alias === undefined ? [] : [alias])].map((source) =>
    explores(`the source ${source}`, [rowAt('x', 0, { source: name })], { source }, ['x']),
  ),
)

/** Many rows of a few times. */
const MANY = upTo(1_500).map((i) =>
  rowAt(`${i}`, i % 3, { event_message: `m${i % 4}`, metadata: { response: { status_code: 200 + (i % 7) } } }),
)
const SOME = JSON.stringify([{ field: 'response.status_code', op: '>=', value: 203 }])

const LONG = [
  compares('100 rows without a limit', MANY, {}),
  compares('1,000 rows', MANY, { limit: '1000' }),
  compares('a page among many rows of one time', MANY, { before: cursorAt(300, 1) }),
  compares('a page after many rows of one time', MANY, { after: cursorAt(450, 1), limit: '200' }),
  compares('a filtered page', MANY, { filter: SOME, search: 'M2', before: cursorAt(40, 2), limit: '60' }),
  compares('a filtered page after a row', MANY, { filter: SOME, after: cursorAt(150, 0), limit: '300' }),
]

/** Values, objects and lists in the place of a field, of which logs.fields counts the same rows. */
const MIXED = [500, { x: 1 }, [{ x: 2 }], {}, 'x', [500], [], null, undefined].map((value, i) =>
  rowAt(`${i}`, -i, { metadata: { response: { status_code: value } } }),
)
const mixed = (op: string) => ({ filter: JSON.stringify([{ field: 'response.status_code', op }]) })
const OBJECTS = [
  explores('an object is a value that a field has', MIXED, mixed('exists'), ['0', '1', '2', '3', '4', '5', '6']),
  explores('an object is a value that a field does not lack', MIXED, mixed('missing'), ['7', '8']),
]

/** The cases of logs.explore. */
export const LOGS_EXPLORE_CASES: readonly Case[] = [...OBJECTS, ...CURSORS, ...FILTERS, ...RANGES, ...NAMES, ...LONG]
