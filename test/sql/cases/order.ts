import { query, refused, type SqlCase, wrong } from './case.js'
import { recordOf, time, withValues } from './records.js'

/** Values of all types, in their order. */
const ORDERED = [null, false, true, -1, 2, 10, '', '10', '2', 'a', 'é', '\uffff', '😀', [1], { a: 1 }]
const SHUFFLED = withValues(
  'order-types',
  [4, 12, 0, 7, 14, 2, 9, 1, 11, 5, 13, 3, 8, 10, 6].map((place) => ORDERED[place]),
)

const TIES = ['a', 'b', 'c'].map((id) =>
  recordOf('edge_logs', { id, project: 'order-ties', timestampUs: time('10:00:00') }),
)

const ids = (...list: string[]) => list.map((id) => ({ id }))

/** ORDER BY, LIMIT and OFFSET. */
export const ORDER_CASES: readonly SqlCase[] = [
  query('by the time, the newest first', 'select id from edge_logs order by timestamp desc limit 2', ids('e6', 'e5')),
  query(
    'by the time, the oldest first',
    'select id from edge_logs order by edge_logs.timestamp limit 2',
    ids('e1', 'e2'),
  ),
  query(
    'ties of the time descending: the latest arrival first',
    'select id from edge_logs order by timestamp desc',
    ids('c', 'b', 'a'),
    {
      records: TIES,
    },
  ),
  query(
    'by a field that is not selected',
    'select id from edge_logs order by response.status_code desc, id',
    ids('e5', 'e4', 'e3', 'e2', 'e1', 'e6'),
  ),
  query(
    'nulls come first ascending',
    'select id from edge_logs order by response.status_code limit 2',
    ids('e6', 'e1'),
  ),
  query('NULLS LAST', 'select id from edge_logs order by response.status_code nulls last limit 1', ids('e1')),
  query(
    'NULLS FIRST',
    'select id from edge_logs order by response.status_code desc nulls first limit 2',
    ids('e6', 'e5'),
  ),
  query(
    'several keys',
    'select id from edge_logs order by request.method desc nulls last, id desc',
    ids('e2', 'e5', 'e4', 'e3', 'e1', 'e6'),
  ),
  query('by an output name', 'select id as i from auth_logs order by I desc', [{ i: 'a3' }, { i: 'a2' }, { i: 'a1' }]),
  query('by an output name in an expression', 'select id as i from auth_logs order by concat(level, i)', [
    { i: 'a2' },
    { i: 'a1' },
    { i: 'a3' },
  ]),
  query(
    'an output name wins over a column',
    `select id, -unix_micros(timestamp) as timestamp from auth_logs order by timestamp limit 1`,
    [{ id: 'a3', timestamp: -time('10:03:00') }],
  ),
  query('by a column number', 'select level, id from auth_logs order by 1, 2 desc', [
    { level: 'error', id: 'a2' },
    { level: 'info', id: 'a3' },
    { level: 'info', id: 'a1' },
  ]),
  query('by an aggregate', 'select level from auth_logs group by level order by count(*) desc', [
    { level: 'info' },
    { level: 'error' },
  ]),
  query('by an aggregate that is selected', 'select level, count(*) as n from auth_logs group by 1 order by 2', [
    { level: 'error', n: 1 },
    { level: 'info', n: 2 },
  ]),
  query('by a key that is not selected', 'select count(*) as n from auth_logs group by level order by level', [
    { n: 1 },
    { n: 2 },
  ]),
  query('by an expression of an aggregate', 'select level from auth_logs group by level order by -count(*)', [
    { level: 'info' },
    { level: 'error' },
  ]),
  query('by a condition', `select id from auth_logs order by level = 'error' desc, id`, ids('a2', 'a1', 'a3')),
  query('by a subquery', `select id from auth_logs order by id in (select 'a3') desc, id`, ids('a3', 'a1', 'a2')),
  query(
    'across types',
    'select x from edge_logs order by x',
    ORDERED.map((x) => ({ x: isObject(x) ? [x] : x })),
    { records: SHUFFLED },
  ),
  query(
    'across types, descending',
    'select x from edge_logs order by x desc limit 3',
    [{ x: [{ a: 1 }] }, { x: [1] }, { x: '😀' }],
    {
      records: SHUFFLED,
    },
  ),
  query(
    'in a union',
    'select id, 1 as part from auth_logs union all select id, 2 from function_logs order by part desc, id desc limit 3',
    [
      { id: 'l2', part: 2 },
      { id: 'l1', part: 2 },
      { id: 'a3', part: 1 },
    ],
  ),

  query('LIMIT', 'select id from edge_logs order by id limit 2', ids('e1', 'e2')),
  query('LIMIT 0', 'select id from edge_logs order by id limit 0', []),
  query('a LIMIT above the number of rows', 'select id from auth_logs order by id limit 999999', ids('a1', 'a2', 'a3')),
  query('LIMIT without ORDER BY', 'select count(*) as n from (select id from edge_logs limit 4)', [{ n: 4 }]),
  query('OFFSET', 'select id from edge_logs order by id limit 2 offset 3', ids('e4', 'e5')),
  query('OFFSET beyond the end', 'select id from edge_logs order by id limit 2 offset 6', []),

  query(
    'an output may have the name of a column that the compiler adds',
    'select id as `order 0`, 1 as `order 1` from auth_logs order by timestamp desc',
    [
      { 'order 0': 'a3', 'order 1': 1 },
      { 'order 0': 'a2', 'order 1': 1 },
      { 'order 0': 'a1', 'order 1': 1 },
    ],
  ),
  query(
    'SELECT DISTINCT is sorted by an expression of what it selects',
    'select distinct level from auth_logs order by upper(level)',
    [{ level: 'error' }, { level: 'info' }],
  ),
  wrong(
    'SELECT DISTINCT that is sorted by something else',
    'select distinct level from auth_logs order by 1, id',
    'SELECT DISTINCT is sorted by what it selects: select id too, or use GROUP BY. (line 1, column 50)',
  ),
  wrong(
    'groups that are sorted by no key',
    'select level from auth_logs group by level order by id',
    'id is neither a key of GROUP BY nor an aggregate: group by it, or write any_value(id). ' + '(line 1, column 53)',
  ),
  wrong(
    'ORDER without BY',
    'select id from auth_logs order id',
    'Expected BY behind ORDER, found id. (line 1, column 32)',
  ),
  wrong(
    'GROUP without BY',
    'select level from auth_logs group',
    'Expected BY behind GROUP, found the end of the text. (line 1, column 34)',
  ),
  wrong(
    'LIMIT of an expression',
    'select 1 as a limit 1 + 1',
    'LIMIT takes a whole number from 0, or a parameter. (line 1, column 21)',
  ),
  wrong(
    'a negative LIMIT',
    'select 1 as a limit -1',
    'LIMIT takes a whole number from 0, or a parameter. (line 1, column 21)',
  ),
  wrong(
    'OFFSET of a text',
    "select 1 as a limit 1 offset 'x'",
    'OFFSET takes a whole number from 0, or a parameter. (line 1, column 30)',
  ),
  wrong(
    'OFFSET without LIMIT',
    'select 1 as a from edge_logs order by 1 offset 2',
    'OFFSET stands behind LIMIT: write LIMIT 100 OFFSET 10. (line 1, column 41)',
  ),
  refused(
    'FETCH FIRST',
    'select 1 as a from edge_logs fetch first 3 rows only',
    'FETCH is not covered: write LIMIT. (line 1, column 30)',
  ),
]

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
