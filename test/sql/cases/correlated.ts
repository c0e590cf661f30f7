import { query, refused, type SqlCase } from './case.js'
import { recordOf } from './records.js'

const OF_EDGE = { e: { k: 1 }, k: 1, list: [{ k: 1 }] }
const RECORDS = [
  recordOf('edge_logs', { id: '1', project: 'correlated', metadata: OF_EDGE }),
  recordOf('postgres_logs', { id: '2', project: 'correlated', metadata: { e: { k: 2 }, k: 1, v: { k: 1 } } }),
]

const options = { records: RECORDS }

const message = (name: string, field: string, column: number) =>
  `${name} is a table of the outer query, and correlated subqueries are not covered: ` +
  `compare with value IN (select …). A field of that name is written ${field}. (line 1, column ${column})`

/** A subquery `inner` behind IN, in a query of `edge_logs e`, and the place of `name` in the query. */
function correlated(title: string, inner: string, name = 'e.k', from = 'edge_logs e'): SqlCase {
  const sql = `select 1 as x from ${from} where k in (${inner})`
  return refused(title, sql, message(name.split('.')[0]!, `metadata.${name}`, 1 + sql.lastIndexOf(name)), options)
}

/** A subquery that may use the names of its own tables. */
const own = (title: string, sql: string, rows: readonly object[] = [{ id: '1' }]) =>
  query(title, sql, rows as Record<string, unknown>[], options)

const IN = 'select id from edge_logs e where k in'

/** Names of the tables around a subquery, which mean no field in the subquery. */
export const CORRELATED_CASES: readonly SqlCase[] = [
  correlated('an alias of a table', 'select p.k from postgres_logs p where p.k = e.k'),
  correlated('an alias in another case', 'select k from postgres_logs where k = E.k', 'E.k'),
  correlated('a name of a source', 'select k from postgres_logs where k = edge_logs.k', 'edge_logs.k', 'edge_logs'),
  correlated('an alias of a derived table', 'select e.k from postgres_logs', 'e.k', '(select 1 as k) e'),
  correlated('an alias of a list', 'select v.k from postgres_logs', 'v.k', 'edge_logs e, unnest(list) v'),
  correlated('an element of a list', 'select v from postgres_logs', 'v', 'edge_logs e, unnest(list) v'),
  correlated('a text function', 'select lower(e.k) from postgres_logs'),
  correlated('an unnest', 'select v from postgres_logs cross join unnest(e.list) v', 'e.list'),
  correlated('GROUP BY', 'select count(*) from postgres_logs group by e.k'),
  correlated('HAVING', 'select count(*) from postgres_logs having max(e.k) = 1'),
  correlated('ORDER BY', 'select k from postgres_logs order by e.k limit 1'),
  correlated('a part of a union', 'select 1 union all select e.k from postgres_logs'),
  correlated(
    'ORDER BY of a union',
    'select metadata from auth_logs union all select metadata from edge_logs order by e.k',
  ),
  correlated('a derived table of the subquery', 'select k from (select e.k as k from postgres_logs) t'),
  correlated('WITH of the subquery', 'with c as (select e.k as k from postgres_logs) select k from c'),
  correlated('two levels', 'select k from postgres_logs p where k in (select k from auth_logs where k = e.k)'),
  refused(
    'a subquery without FROM',
    `${IN} (select e.k)`,
    'e is a table of the outer query, and correlated subqueries are not covered: ' +
      'compare with value IN (select …). (line 1, column 47)',
    options,
  ),
  refused(
    'a subquery in SELECT',
    'select k in (select e.k from postgres_logs) as x from edge_logs e',
    message('e', 'metadata.e.k', 21),
    options,
  ),
  refused(
    'a subquery in HAVING',
    'select count(*) as n from edge_logs e having max(k) in (select e.k from postgres_logs)',
    message('e', 'metadata.e.k', 64),
    options,
  ),

  own('a field of that name', `${IN} (select metadata.e.k from edge_logs)`),
  own('an alias of the subquery', `${IN} (select e.k from postgres_logs e)`),
  own('an element of the subquery', `${IN} (select e.k from postgres_logs p, unnest(v) e)`),
  own('a column of the subquery', `${IN} (select e.k from (select v as e from postgres_logs))`),
  own('the value before IN', 'select id from edge_logs e where e.k in (select k from postgres_logs)'),
  own('a name of a common table expression', 'with e as (select 1 as k) select e.k from (select e.k from e) e', [
    { k: 1 },
  ]),
  own(
    'a field with the name of a common table expression',
    'with e as (select id from postgres_logs where e.k = 2) select id from e',
    [{ id: '2' }],
  ),
  own('the alias of the derived table around a field', 'select e.k from (select e.k from postgres_logs) e', [{ k: 2 }]),
  own('a subquery beside another', `${IN} (select k from postgres_logs p) or k in (select p.k from auth_logs)`),
]
