import { MORE, query, refused, type SqlCase, wrong } from './case.js'
import { recordOf, time } from './records.js'

const METADATA =
  '{ "request": {"headers": [{"host": "h"}], "n": 1.0}, "list": [[{"a": 1}], 1e3, "x"], ' +
  '"big": 9007199254740993, "none": {}, "empty": [] }'

const REPEATED =
  '"metadata":[{ "request": [{"headers": [{"host": "h"}], "n": 1.0}], "list": [[{"a": 1}], 1e3, "x"], ' +
  '"big": 9007199254740993, "none": [{}], "empty": [] }]'

const RECORDS = [recordOf('edge_logs', { id: '1', project: 'select', event_message: 'm', metadata: METADATA })]
const options = { records: RECORDS }
const selected = (name: string, columns: string, row: string | Record<string, unknown>) =>
  query(name, `select ${columns} from edge_logs as t`, [row], options)

/** Output columns: values, names, and `*`. */
export const SELECT_CASES: readonly SqlCase[] = [
  selected(
    '* is id, timestamp, event_message, project and metadata',
    '*',
    `{"id":"1","timestamp":${time('10:00:00')},"event_message":"m","project":"select",${REPEATED}}`,
  ),
  selected('an object is in a list of one', 'request', '{"request":[{"headers": [{"host": "h"}], "n": 1.0}]}'),
  selected(
    'a list stays as it is',
    'list, request.headers',
    '{"list":[[{"a": 1}], 1e3, "x"],"headers":[{"host": "h"}]}',
  ),
  selected('an empty object and an empty list', '`none`, `empty`', '{"none":[{}],"empty":[]}'),
  selected('numbers of fields', 'request.n, big', '{"n":1,"big":9007199254740993}'),
  selected(
    't.* with other columns',
    'upper(t.event_message) as upper, t.*',
    `{"upper":"M","id":"1","timestamp":${time('10:00:00')},"event_message":"m","project":"select",${REPEATED}}`,
  ),

  query('* of a derived table', 'select * from (select 1 as b, 2 as a)', [{ b: 1, a: 2 }]),
  query('t.* of a derived table', 'select t.*, 3 as c from (select 1 as b, 2 as a) t', [{ b: 1, a: 2, c: 3 }]),
  query(
    'a field takes the last step of its path',
    'select metadata.parsed.user_name from postgres_logs where id = "p2"',
    [{ user_name: 'web' }],
  ),
  query('expressions without a name', 'select 1, 2 as two, 1 + 2, true', [{ f0_: 1, two: 2, f1_: 3, f2_: true }]),
  query('names with AS, without it, and in backticks', 'select 1 as a, 2 b, 3 as `c d`, 4 `select`', [
    { a: 1, b: 2, 'c d': 3, select: 4 },
  ]),
  query('a repeated name gets a number', 'select 1 as a, 2 as a, 3 as A, 4 as a_1', [
    { a: 1, a_1: 2, A_2: 3, a_1_1: 4 },
  ]),
  query(
    'fields with the same last step',
    "select parsed.user_name, parsed.user_name from postgres_logs where id = 'p2'",
    [{ user_name: 'web', user_name_1: 'web' }],
  ),
  query('words that may be names', 'select 1 as date, 2 as timestamp, 3 as value, 4 as offset, 5 as day', [
    { date: 1, timestamp: 2, value: 3, offset: 4, day: 5 },
  ]),
  query('a timestamp is an integer of microseconds', "select timestamp from edge_logs where id = 'e4'", [
    { timestamp: time('10:01:20.123456') },
  ]),
  query(
    'a datetime and a date are texts',
    `select cast(timestamp as datetime) as a, cast(timestamp as date) as b,
    datetime(timestamp) as c from edge_logs where id in ('e4', 'e5') order by id`,
    [
      { a: '2026-11-24T10:01:20.123456', b: '2026-11-24', c: '2026-11-24T10:01:20.123456' },
      { a: '2026-11-24T10:02:00', b: '2026-11-24', c: '2026-11-24T10:02:00' },
    ],
  ),
  query('a whole record of another source', "select * from auth_logs where id = 'a3'", [
    {
      id: 'a3',
      timestamp: time('10:03:00'),
      event_message: 'no JSON',
      project: 'shop',
      metadata: [{ level: 'info' }],
    },
  ]),
  query('SELECT ALL', "select all id from auth_logs where level = 'error'", [{ id: 'a2' }], MORE),
  query('SELECT DISTINCT', 'select distinct level from auth_logs', [{ level: 'info' }, { level: 'error' }]),
  query(
    'SELECT DISTINCT with ORDER BY and LIMIT',
    'select distinct request.method as m from edge_logs order by m desc limit 2',
    [{ m: 'POST' }, { m: 'GET' }],
  ),
  query('SELECT DISTINCT of groups', 'select distinct count(*) as n from auth_logs group by level order by n', [
    { n: 1 },
    { n: 2 },
  ]),

  wrong('* without FROM', 'select *', '* needs a table: write FROM and a source. (line 1, column 8)'),
  wrong(
    '* of an unknown table',
    'select u.* from edge_logs as t',
    "There is no table u: only the table's columns can be selected as u.* (line 1, column 8)",
  ),
  refused(
    '* EXCEPT',
    'select * except (id) from edge_logs',
    '* EXCEPT is not covered: name the columns. (line 1, column 10)',
  ),
  refused('SELECT AS STRUCT', 'select as struct 1 as a', 'SELECT AS STRUCT is not covered. (line 1, column 8)'),
  wrong(
    'a reserved word as a name',
    'select 1 as select',
    'Expected a name, found the word select. If it is a name, write `select`. (line 1, column 13)',
  ),
]
