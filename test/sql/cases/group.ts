import { query, refused, type SqlCase, wrong } from './case.js'
import { recordOf, time, withValues } from './records.js'

const KEYS = withValues('group-keys', [
  500,
  '500',
  1,
  '1',
  1.5,
  true,
  'true',
  { a: 1 },
  { a: 1 },
  [1],
  null,
  undefined,
  '',
])
/** The same number in two spellings. */
const SPELLINGS = ['{"x":1}', '{"x":1.0}', '{"x":10e-1}'].map((metadata, i) =>
  recordOf('edge_logs', { id: String(i), project: 'group-spellings', metadata }),
)
const PROJECTS = ['p', 'q', null, 'q'].map((project, i) => recordOf('edge_logs', { id: String(i), project }))

const noKey = (name: string) =>
  `${name} is neither a key of GROUP BY nor an aggregate: group by it, or write any_value(${name}).`

/** GROUP BY and HAVING. */
export const GROUP_CASES: readonly SqlCase[] = [
  query('by a field', 'select request.method, count(*) as n from edge_logs group by request.method', [
    { method: null, n: 1 },
    { method: 'POST', n: 1 },
    { method: 'GET', n: 4 },
  ]),
  query('by an output name', 'select level as l, count(*) as n from auth_logs group by l order by l', [
    { l: 'error', n: 1 },
    { l: 'info', n: 2 },
  ]),
  query('an output name ignores case', 'select level as L, count(*) as n from auth_logs group by l order by l', [
    { L: 'error', n: 1 },
    { L: 'info', n: 2 },
  ]),
  query(
    'an output name wins over a field',
    'select length(level) as level, count(*) as n from auth_logs group by level',
    [
      { level: 4, n: 2 },
      { level: 5, n: 1 },
    ],
  ),
  query(
    'an output name wins over a column',
    `select timestamp_trunc(t.timestamp, minute) as timestamp, count(*) as n
    from edge_logs t group by timestamp order by timestamp`,
    [
      { timestamp: time('10:00:00'), n: 2 },
      { timestamp: time('10:01:00'), n: 2 },
      { timestamp: time('10:02:00'), n: 2 },
    ],
  ),
  query(
    'by column numbers',
    'select parsed.error_severity as s, id, count(*) as n from postgres_logs group by 1, 2 order by 2',
    [
      { s: 'LOG', id: 'p1', n: 1 },
      { s: 'ERROR', id: 'p2', n: 1 },
      { s: 'FATAL', id: 'p3', n: 1 },
      { s: 'LOG', id: 'p4', n: 1 },
    ],
  ),
  query('by an expression', 'select upper(level) as u, count(*) as n from auth_logs group by upper(level)', [
    { u: 'ERROR', n: 1 },
    { u: 'INFO', n: 2 },
  ]),
  query('an expression over a key', 'select concat(level, "!") as u, count(*) as n from auth_logs group by level', [
    { u: 'error!', n: 1 },
    { u: 'info!', n: 2 },
  ]),
  query(
    'the same field in another spelling',
    'select t.level, metadata.level, count(*) as n from auth_logs t group by level',
    [
      { level: 'error', level_1: 'error', n: 1 },
      { level: 'info', level_1: 'info', n: 2 },
    ],
  ),
  query('a key that is not selected', 'select count(*) as n from auth_logs group by level', [{ n: 1 }, { n: 2 }]),
  query('without aggregates', 'select level from auth_logs group by level', [{ level: 'error' }, { level: 'info' }]),
  query('by a literal', 'select 1 as one, count(*) as n from auth_logs group by one', [{ one: 1, n: 3 }]),
  query('by a condition', 'select response.status_code >= 500 as bad, count(*) as n from edge_logs group by bad', [
    { bad: false, n: 3 },
    { bad: true, n: 2 },
    { bad: null, n: 1 },
  ]),
  query('aggregates without GROUP BY are one row', 'select count(*) as n, min(id) as id from edge_logs', [
    { n: 6, id: 'e1' },
  ]),
  query('also without any rows', "select count(*) as n, min(id) as id from edge_logs where id = 'x'", [
    { n: 0, id: null },
  ]),
  query(
    'with GROUP BY there is no row without rows',
    "select level, count(*) as n from auth_logs where id = 'x' group by level",
    [],
  ),
  query(
    'arithmetic of aggregates',
    'select count(*) * 10 + 1 as a, sum(response.status_code) / count(*) as b from edge_logs',
    [{ a: 61, b: 1805 / 6 }],
  ),
  query(
    'an aggregate of groups behind a derived table',
    `select max(n) as most from
    (select request.method, count(*) as n from edge_logs group by 1)`,
    [{ most: 4 }],
  ),

  query(
    'numbers and texts are different groups',
    'select x, count(*) as n from edge_logs group by x',
    [
      { x: 500, n: 1 },
      { x: '500', n: 1 },
      { x: 1, n: 1 },
      { x: '1', n: 1 },
      { x: 1.5, n: 1 },
      { x: true, n: 1 },
      { x: 'true', n: 1 },
      { x: [{ a: 1 }], n: 2 },
      { x: [1], n: 1 },
      { x: null, n: 2 },
      { x: '', n: 1 },
    ],
    { records: KEYS },
  ),
  query(
    'one number in several spellings is one group',
    'select x, count(*) as n from edge_logs group by x',
    [{ x: 1, n: 3 }],
    {
      records: SPELLINGS,
    },
  ),
  query(
    'by project',
    'select project, count(*) as n from edge_logs group by project order by project',
    [
      { project: null, n: 1 },
      { project: 'p', n: 1 },
      { project: 'q', n: 2 },
    ],
    { records: PROJECTS, ofManyProjects: true },
  ),

  query('HAVING with an aggregate', 'select level from auth_logs group by level having count(*) > 1', [
    { level: 'info' },
  ]),
  query('HAVING with an output name', 'select level, count(*) as n from auth_logs group by level having n > 1', [
    { level: 'info', n: 2 },
  ]),
  query('HAVING with a key', `select level, count(*) as n from auth_logs group by level having level != 'info'`, [
    { level: 'error', n: 1 },
  ]),
  query('HAVING without GROUP BY', 'select count(*) as n from auth_logs having count(*) > 5', []),
  query(
    'HAVING with IN (select …)',
    `select level, count(*) as n from auth_logs group by level
    having level in (select level from function_logs where id = 'l2')`,
    [{ level: 'error', n: 1 }],
  ),

  wrong(
    'a value that is no key',
    'select id, count(*) as n from auth_logs group by level',
    `${noKey('id')} (line 1, column 8)`,
  ),
  wrong('a value without GROUP BY', 'select level, count(*) from auth_logs', `${noKey('level')} (line 1, column 8)`),
  wrong('* with GROUP BY', 'select * from auth_logs group by level', `${noKey('id')} (line 1, column 8)`),
  wrong(
    'a value in HAVING',
    'select level from auth_logs group by level having id > 1',
    `${noKey('id')} (line 1, column 51)`,
  ),
  wrong(
    'a value within an expression',
    "select level || '-' || upper(status) as x, count(*) from auth_logs group by level",
    `${noKey('status')} (line 1, column 30)`,
  ),
  wrong(
    'a field by its path, with a table alias',
    'select count(*) as n, t.metadata.a.b from auth_logs as t',
    `${noKey('t.metadata.a.b')} (line 1, column 23)`,
  ),
  wrong(
    'a name in backticks',
    'select count(*) as n, a.`b c` from auth_logs',
    `${noKey('a.`b c`')} (line 1, column 23)`,
  ),
  wrong(
    'a name that several lists may have',
    'select count(*) as n, x.y from auth_logs, unnest(a) as a, unnest(b) as b',
    `${noKey('x.y')} (line 1, column 23)`,
  ),
  wrong(
    'a value in ORDER BY, on a later line',
    'select level\nfrom auth_logs\ngroup by level\norder by count(*), length(status) desc',
    `${noKey('status')} (line 4, column 27)`,
  ),
  wrong(
    'a value before IN in HAVING',
    "select level from auth_logs group by level having max(id) = 'a' and status in (select 1)",
    `${noKey('status')} (line 1, column 69)`,
  ),
  wrong(
    'a column of a derived table',
    'select y, count(*) from (select level as y, id as z from auth_logs) group by z',
    `${noKey('y')} (line 1, column 8)`,
  ),
  wrong(
    'an aggregate as a key',
    'select level, count(*) as n from auth_logs group by n',
    'The output column n has an aggregate: it cannot be a key. (line 1, column 53)',
  ),
  wrong(
    'an aggregate in GROUP BY',
    'select 1 as a from auth_logs group by count(*)',
    'count is an aggregate: it stands in SELECT, HAVING or ORDER BY, and in no other aggregate. (line 1, column 39)',
  ),
  wrong(
    'a column number that is too large',
    'select level from auth_logs group by 2',
    'GROUP BY 2 names no output column: there are 1. (line 1, column 38)',
  ),
  wrong(
    'the column number 0',
    'select level from auth_logs order by 0',
    'ORDER BY 0 names no output column: there are 1. (line 1, column 38)',
  ),
  refused(
    'GROUP BY ROLLUP',
    'select level from auth_logs group by rollup(level)',
    'GROUP BY ROLLUP is not covered: name the keys. (line 1, column 38)',
  ),
  refused(
    'GROUP BY ALL',
    'select level from auth_logs group by all',
    'GROUP BY ALL is not covered: name the keys. (line 1, column 38)',
  ),
]
