import { MORE, query, refused, type SqlCase, wrong } from './case.js'
import { recordOf, time, withValues } from './records.js'

/** A record for each kind of value: an object, lists, a text, numbers, null, and none. */
const KINDS = withValues('unnest-kinds', [
  { a: 1 },
  [{ a: 2 }, { a: 3 }],
  ['p', 4, true, null],
  [[5], [6, 7]],
  [],
  'text',
  8,
  true,
  null,
  undefined,
])

/** Two records with lists in lists. */
const NESTED = [
  {
    id: '1',
    metadata: {
      a: [
        { b: [{ c: 1 }, { c: 2 }], d: 'x' },
        { b: { c: 3 }, d: 'y' },
      ],
    },
  },
  { id: '2', metadata: { a: { d: 'z' } } },
].map((given) => recordOf('edge_logs', { ...given, project: 'unnest-nested' }))

const LISTS_OF_METADATA = [
  recordOf('edge_logs', { id: '1', project: 'unnest-metadata', metadata: [{ a: 1 }, { a: 2 }] }),
  recordOf('edge_logs', { id: '2', project: 'unnest-metadata', metadata: {} }),
]

const TIMES = [
  recordOf('edge_logs', { id: '1', project: 'unnest-time', timestampUs: time('10:00:00'), metadata: { x: [1, 2] } }),
  recordOf('edge_logs', { id: '2', project: 'unnest-time', timestampUs: time('11:00:00'), metadata: { x: [3] } }),
]

const ELEMENTS = [
  recordOf('edge_logs', {
    id: '1',
    project: 'elements',
    metadata: { request: { method: 'GET' }, l: [{ x: { y: 1 } }] },
  }),
]

/** A value that unnest took from a list is an element. An object under the element is in a list of one object. */
const element = (title: string, sql: string, row: object) =>
  query(`a whole element: ${title}`, sql, [JSON.stringify(row)], { records: ELEMENTS })

const M = { request: [{ method: 'GET' }], l: [{ x: [{ y: 1 }] }] }
const E = { x: [{ y: 1 }] }

const WHOLE_ELEMENTS: readonly SqlCase[] = [
  element('of metadata', 'select m from edge_logs cross join unnest(metadata) as m', { m: M }),
  element('next to metadata', 'select m, metadata from edge_logs, unnest(metadata) as m', { m: M, metadata: [M] }),
  element('of a list', 'select e from edge_logs, unnest(l) as e', { e: E }),
  element('of an element', 'select r from edge_logs, unnest(metadata) as m, unnest(m.request) as r', {
    r: { method: 'GET' },
  }),
  element('an object under it', 'select m.request, e.x from edge_logs, unnest(metadata) as m, unnest(m.l) as e', {
    request: [{ method: 'GET' }],
    x: [{ y: 1 }],
  }),
  element('LEFT JOIN', 'select e from edge_logs left join unnest(l) as e on true', { e: E }),
  element('a derived table', 'select f as g from (select e as f from edge_logs, unnest(l) as e) as t', { g: E }),
  element('all columns of a derived table', 'select * from (select e from edge_logs, unnest(l) as e)', { e: E }),
  element(
    'a derived table with a limit',
    'select e from (select e from edge_logs, unnest(l) as e order by id limit 5)',
    {
      e: E,
    },
  ),
  element('WITH', 'with c as (select e from edge_logs, unnest(l) as e) select e, 1 as n from c', { e: E, n: 1 }),
  element('an object under it, of a derived table', 'select e.x from (select e from edge_logs, unnest(l) as e)', {
    x: [{ y: 1 }],
  }),
  element('a key of groups', 'select e, count(*) as n from edge_logs, unnest(l) as e group by e', { e: E, n: 1 }),
  element('DISTINCT', 'select distinct e from edge_logs, unnest(l) as e', { e: E }),
  element('any_value', 'select any_value(e) as e from edge_logs, unnest(l) as e', { e: E }),
  element('array_agg', 'select array_agg(e) as e from edge_logs, unnest(l) as e', { e: [E] }),
  element('a choice', 'select coalesce(null, e, e) as c, if(id is null, null, e) as i from edge_logs, unnest(l) as e', {
    c: E,
    i: E,
  }),
  element('a choice of an object', 'select ifnull(e, metadata) as c from edge_logs, unnest(l) as e', { c: [E] }),
  element('ORDER BY', 'select e from edge_logs, unnest(l) as e order by e.x', { e: E }),
  element(
    'a union of elements',
    'select e from edge_logs, unnest(l) e union all select e from auth_logs, unnest(l) e',
    {
      e: E,
    },
  ),
  element(
    'a union with another value',
    'select e from edge_logs, unnest(l) e union all select metadata from auth_logs',
    {
      e: [E],
    },
  ),
]

/** Joins with the elements of lists. */
export const UNNEST_CASES: readonly SqlCase[] = [
  query(
    'CROSS JOIN: one row for an object, one for each element of a list, none for other values',
    'select id, e from edge_logs cross join unnest(x) as e',
    [
      '{"id":"1","e":{"a":1}}',
      '{"id":"2","e":{"a":2}}',
      '{"id":"2","e":{"a":3}}',
      '{"id":"3","e":"p"}',
      '{"id":"3","e":4}',
      '{"id":"3","e":true}',
      '{"id":"3","e":null}',
      '{"id":"4","e":[5]}',
      '{"id":"4","e":[6,7]}',
    ],
    { records: KINDS },
  ),
  query(
    'LEFT JOIN: one row of null where CROSS JOIN has none',
    'select id, e from edge_logs left join unnest(x) as e on true where id >= 3',
    [
      '{"id":"3","e":"p"}',
      '{"id":"3","e":4}',
      '{"id":"3","e":true}',
      '{"id":"3","e":null}',
      '{"id":"4","e":[5]}',
      '{"id":"4","e":[6,7]}',
      '{"id":"5","e":null}',
      '{"id":"6","e":null}',
      '{"id":"7","e":null}',
      '{"id":"8","e":null}',
      '{"id":"9","e":null}',
      '{"id":"10","e":null}',
    ],
    { records: KINDS },
  ),
  query('LEFT OUTER JOIN', 'select count(*) as n from edge_logs left outer join unnest(x) as e on true', [{ n: 15 }], {
    records: KINDS,
  }),
  query('a comma', 'select count(*) as n from edge_logs, unnest(x) as e', [{ n: 9 }], { records: KINDS }),
  query(
    'a comma, and an alias without AS',
    'select e.a from edge_logs t, unnest(t.x) e where e.a > 1',
    [{ a: 2 }, { a: 3 }],
    {
      records: KINDS,
    },
  ),
  query(
    'an alias is optional',
    'select id, a from edge_logs cross join unnest(x) where a >= 1',
    [
      { id: '1', a: 1 },
      { id: '2', a: 2 },
      { id: '2', a: 3 },
    ],
    { records: KINDS },
  ),
  query(
    'fields of elements that are no objects are null',
    "select e.a from edge_logs cross join unnest(x) as e where id = '3'",
    [{ a: null }, { a: null }, { a: null }, { a: null }],
    { records: KINDS },
  ),
  query(
    'an unnest of an unnest',
    'select id, b.c from edge_logs cross join unnest(a) as a cross join unnest(a.b) as b',
    [
      { id: '1', c: 1 },
      { id: '1', c: 2 },
      { id: '1', c: 3 },
    ],
    { records: NESTED },
  ),
  query(
    'three levels, from metadata',
    `select m.a, b.c, a.d from edge_logs as t
    cross join unnest(t.metadata) as m cross join unnest(m.a) as a left join unnest(a.b) as b on true
    where a.d in ('y', 'z')`,
    [
      '{"a":[{"b":[{"c":1},{"c":2}],"d":"x"},{"b":[{"c":3}],"d":"y"}],"c":3,"d":"y"}',
      '{"a":[{"d":"z"}],"c":null,"d":"z"}',
    ],
    { records: NESTED },
  ),
  query(
    'a path through lists takes the first element',
    'select id, a.b.c, a.d from edge_logs',
    [
      { id: '1', c: 1, d: 'x' },
      { id: '2', c: null, d: 'z' },
    ],
    { records: NESTED },
  ),
  query(
    'two lists are multiplied',
    `select e as p, f as q from edge_logs cross join unnest(x) as e cross join unnest(x) as f
    where id = '1' order by 1, 2`,
    [
      { p: 1, q: 1 },
      { p: 1, q: 2 },
      { p: 2, q: 1 },
      { p: 2, q: 2 },
    ],
    { records: TIMES },
  ),
  query(
    'aggregates count the rows of elements',
    'select sum(e) as s, count(*) as n from edge_logs cross join unnest(x) as e',
    [{ s: 6, n: 3 }],
    { records: TIMES },
  ),
  query(
    'the filter of the times is before the join',
    `select e from edge_logs cross join unnest(x) as e
    where timestamp > '2026-11-24T10:30:00Z'`,
    [{ e: 3 }],
    { records: TIMES },
  ),

  query(
    'unnest(metadata) keeps a record without metadata',
    'select id, m from edge_logs cross join unnest(metadata) as m',
    ['{"id":"1","m":{"a":1}}', '{"id":"1","m":{"a":2}}', '{"id":"2","m":{}}'],
    { records: LISTS_OF_METADATA },
  ),
  query(
    'unnest(metadata) without an alias',
    'select id, a from edge_logs cross join unnest(metadata) where a = 1',
    [{ id: '1', a: 1 }],
    { records: LISTS_OF_METADATA },
  ),
  ...WHOLE_ELEMENTS,
  query(
    'the elements of a list that a function returns',
    `select part from edge_logs cross join unnest(split('a,b', ',')) as part
    where id = '2'`,
    [{ part: 'a' }, { part: 'b' }],
    { records: LISTS_OF_METADATA, ...MORE },
  ),

  query(
    'LEFT JOIN needs no ON',
    'select count(*) as n from edge_logs left join unnest(x) as e where id > 0',
    [{ n: 15 }],
    { records: KINDS, ...MORE },
  ),
  wrong(
    'LEFT JOIN on a condition',
    'select 1 as x from edge_logs left join unnest(metadata) as m on m.a = 1',
    'Expected ON TRUE behind LEFT JOIN UNNEST(…), found on. (line 1, column 62)',
  ),
  wrong(
    'two unnests of one name',
    'select 1 as x from edge_logs cross join unnest(metadata) as m cross join unnest(m.a) as M',
    'Two tables are named M. (line 1, column 63)',
  ),
  wrong(
    'an unnest with the name of the table',
    'select 1 as x from edge_logs as t cross join unnest(metadata) as t',
    'Two tables are named t. (line 1, column 35)',
  ),
  refused(
    'WITH OFFSET',
    'select 1 as x from edge_logs cross join unnest(metadata) as m with offset as place',
    'WITH OFFSET is not covered. (line 1, column 63)',
  ),
]
