import { query, refused, type SqlCase, wrong } from './case.js'

const LEVELS = `with bad as (select id, level from auth_logs where level = 'error')`

/** One SELECT: comments, EXPLAIN, WITH, UNION ALL, derived tables, subqueries behind IN. */
export const STATEMENT_CASES: readonly SqlCase[] = [
  query('SELECT without FROM is one row', 'select 1 as one, true as yes', [{ one: 1, yes: true }]),
  query('words ignore case', "SeLeCt ID FrOm EDGE_LOGS wHeRe Id = 'e1'", [{ ID: 'e1' }]),
  query('semicolons at the end', 'select 1 as one;;', [{ one: 1 }]),
  query('comments of all three kinds', '-- first\nselect /* a; -- b */ 1 as one # to the end\n, 2 as two -- the end', [
    { one: 1, two: 2 },
  ]),
  query('a comma before FROM', "select id, event_message, from edge_logs where id = 'e6'", [
    { id: 'e6', event_message: 'no metadata' },
  ]),
  query('a comma at the end without FROM', 'select 1 as one,', [{ one: 1 }]),
  query('WHERE without FROM', 'select 1 as one where 1 = 2', []),

  query(
    'EXPLAIN: a row for each operator, with its rows',
    "explain select id from edge_logs where response.status_code >= 500 and request.method = 'GET'",
    [
      { step: 1, operator: 'scan', detail: 'edge_logs', rows: 6 },
      {
        step: 2,
        operator: 'filter',
        detail: 'and(ge(metadata.response.status_code, 500), eq(metadata.request.method, "GET"))',
        rows: 2,
      },
      { step: 3, operator: 'select', detail: 'id', rows: 2 },
    ],
    { notForOracle: 'EXPLAIN' },
  ),
  query(
    'EXPLAIN of groups, an order and a limit',
    'explain select request.method as method, count(*) as n from edge_logs group by method order by n desc limit 1',
    [
      { step: 1, operator: 'scan', detail: 'edge_logs', rows: 6 },
      {
        step: 2,
        operator: 'group',
        detail: 'by metadata.request.method as key 0: count() as aggregate 1',
        rows: 3,
      },
      { step: 3, operator: 'select', detail: 'key 0 as method, aggregate 1 as n', rows: 3 },
      { step: 4, operator: 'orderBy', detail: 'aggregate 1 desc nulls last', rows: 3 },
      { step: 5, operator: 'limit', detail: '1', rows: 1 },
    ],
    { notForOracle: 'EXPLAIN' },
  ),
  query(
    'EXPLAIN of a union and a subquery: inner operators come first',
    `explain select id from auth_logs where id in (select 'a1') union all (select id from function_logs limit 1)`,
    [
      { step: 1, operator: 'scan', detail: 'auth_logs', rows: 3 },
      { step: 2, operator: 'scan', detail: 'edge_logs at no time', rows: 0 },
      { step: 3, operator: 'group', detail: 'by nothing', rows: 1 },
      { step: 4, operator: 'select', detail: '"a1" as f0_', rows: 1 },
      { step: 5, operator: 'isIn', detail: 'id in (3 operators) as in 0', rows: 3 },
      { step: 6, operator: 'filter', detail: 'in 0', rows: 1 },
      { step: 7, operator: 'select', detail: 'id', rows: 1 },
      { step: 8, operator: 'scan', detail: 'function_logs', rows: 2 },
      { step: 9, operator: 'select', detail: 'id', rows: 2 },
      { step: 10, operator: 'limit', detail: '1', rows: 1 },
      { step: 11, operator: 'union', detail: '2 queries', rows: 2 },
      { step: 12, operator: 'select', detail: 'id', rows: 2 },
    ],
    { notForOracle: 'EXPLAIN' },
  ),
  query(
    'EXPLAIN of a time range and an unnest',
    `explain select m.x from edge_logs cross join unnest(metadata) as m
     where timestamp >= timestamp '2026-11-24 10:02:00' and timestamp < timestamp '2026-11-25'`,
    [
      {
        step: 1,
        operator: 'scan',
        detail: 'edge_logs from 2026-11-24T10:02:00 through 2026-11-24T23:59:59.999999',
        rows: 2,
      },
      { step: 2, operator: 'unnest', detail: 'metadata as element 0', rows: 2 },
      { step: 3, operator: 'select', detail: 'element 0.x as x', rows: 2 },
    ],
    { notForOracle: 'EXPLAIN' },
  ),

  query('WITH', `${LEVELS} select * from bad`, [{ id: 'a2', level: 'error' }]),
  query('a common table expression sees those before it', `${LEVELS}, ids as (select id from bad) select id from ids`, [
    { id: 'a2' },
  ]),
  query('a common table expression is used twice', `${LEVELS} select id from bad union all select level from bad`, [
    { id: 'a2' },
    { id: 'error' },
  ]),
  query(
    'groups of a common table expression are used several times, each time in another order',
    `with levels as (select level, count(*) as n from auth_logs group by level)
    select 'first' as place, level from (select level from levels order by level limit 1)
    union all select 'last', level from (select level from levels order by level desc limit 1)
    union all select 'groups', cast(count(*) as string) from levels`,
    [
      { place: 'first', level: 'error' },
      { place: 'last', level: 'info' },
      { place: 'groups', level: '2' },
    ],
  ),
  query(
    'a common table expression hides a source of its name',
    `with auth_logs as (select id from auth_logs where level = 'error') select * from Auth_Logs`,
    [{ id: 'a2' }],
  ),
  query('WITH in parentheses', `select * from (with one as (select 1 as x) select x from one) as t`, [{ x: 1 }]),
  query('its name ignores case', `with Bad as (select 1 as x) select x from bAD`, [{ x: 1 }]),
  query('one that is not used may have no error of rows', `with t as (select 1 / 0 as x) select 1 as y`, [{ y: 1 }]),
  wrong(
    'two common table expressions of one name',
    'with a as (select 1 as x), A as (select 2 as x) select x from a',
    'Two common table expressions are named A. (line 1, column 28)',
  ),
  refused(
    'WITH RECURSIVE',
    'with recursive a as (select 1) select 1',
    'WITH RECURSIVE is not covered. (line 1, column 6)',
  ),

  query('UNION ALL takes the names of the first part', 'select 1 as a, 2 as b union all select 3, 4 as c', [
    { a: 1, b: 2 },
    { a: 3, b: 4 },
  ]),
  query('UNION ALL keeps equal rows', 'select 1 as a union all select 1 union all select 1', [
    { a: 1 },
    { a: 1 },
    { a: 1 },
  ]),
  query(
    'ORDER BY and LIMIT behind a union are for all of it',
    'select 1 as a union all select 3 union all select 2 order by a desc limit 2',
    [{ a: 3 }, { a: 2 }],
  ),
  query(
    'a part of a union in parentheses has its own ORDER BY and LIMIT',
    '(select id from edge_logs order by id desc limit 1) union all (select id from auth_logs order by id limit 1)',
    [{ id: 'e6' }, { id: 'a1' }],
  ),
  query('a union of different types', "select 1 as a union all select 'x' union all select null", [
    { a: 1 },
    { a: 'x' },
    { a: null },
  ]),
  query(
    'a union in a derived table',
    `select level, count(*) as n from (select level from auth_logs union all select level from function_logs) as t
     group by level order by level`,
    [
      { level: 'error', n: 2 },
      { level: 'info', n: 3 },
    ],
  ),
  wrong(
    'the parts of a union have different columns',
    'select 1 as a union all select 2, 3',
    'The parts of UNION ALL have 1 and 2 columns. (line 1, column 25)',
  ),

  query(
    'a derived table',
    `select t.method from (select request.method as method, id from edge_logs) as t where t.id = 'e2'`,
    [{ method: 'POST' }],
  ),
  query('a derived table without an alias', `select method from (select 'GET' as method)`, [{ method: 'GET' }]),
  query(
    'LIMIT in a derived table comes before the filter around it',
    `select id from (select id from edge_logs order by id limit 2) where id > 'e1'`,
    [{ id: 'e2' }],
  ),

  query('IN (select …)', `select id from edge_logs where id in (select concat('e', '4') union all select 'e1')`, [
    { id: 'e1' },
    { id: 'e4' },
  ]),
  query(
    'IN (select …) of another source',
    `select id from postgres_logs 
    where parsed.user_name in (select parsed.user_name from postgres_logs where id = 'p2')`,
    [{ id: 'p1' }, { id: 'p2' }],
  ),
  query('NOT IN (select …)', `select id from auth_logs where level not in (select 'info')`, [{ id: 'a2' }]),
  query(
    'NOT IN with a null among the rows is never true',
    `select id from auth_logs where level not in (select null)`,
    [],
  ),
  query('IN of no rows is false', `select id from auth_logs where id in (select id from edge_logs where id = 'x')`, []),
  query(
    'NOT IN of no rows is true',
    `select id from auth_logs where id not in (select id from edge_logs where id = 'x')`,
    [{ id: 'a1' }, { id: 'a2' }, { id: 'a3' }],
  ),
  wrong(
    'a subquery behind IN has two columns',
    'select 1 as x from edge_logs where id in (select id, id from edge_logs)',
    'The subquery behind IN has 2 columns: select one. (line 1, column 43)',
  ),
]
