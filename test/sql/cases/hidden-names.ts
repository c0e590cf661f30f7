import { query, refused, type SqlCase, wrong } from './case.js'
import { recordOf } from './records.js'

const RECORDS = [
  recordOf('edge_logs', { id: '1', project: 'hidden', metadata: { k: 'x', n: 1, edge_logs: { k: 'field' } } }),
  recordOf('postgres_logs', { id: '2', project: 'hidden', metadata: { k: 'y' } }),
]

const options = { records: RECORDS }

/** A text in which `path` names the table `name`, which has the alias `e`. */
function hidden(
  title: string,
  sql: string,
  path: string,
  name: string,
  instead = path.slice(name.length + 1),
): SqlCase {
  const written = instead === '' ? '' : `: write e.${instead}`
  const message =
    `The table ${name} has the alias e here, which hides its own name${written}.` +
    ` A field of that name is written metadata.${path}. (line 1, column ${1 + sql.indexOf(path)})`
  return wrong(title, sql, message, options)
}

const own = (title: string, sql: string, rows: readonly Record<string, unknown>[]) => query(title, sql, rows, options)

/** The name of a table that has an alias names nothing, as in BigQuery. */
export const HIDDEN_NAMES_CASES: readonly SqlCase[] = [
  hidden('in SELECT', 'select edge_logs.k from edge_logs as e', 'edge_logs.k', 'edge_logs'),
  hidden('without AS', 'select edge_logs.event_message as v from edge_logs e', 'edge_logs.event_message', 'edge_logs'),
  hidden('in WHERE', "select 1 as x from edge_logs e where edge_logs.k = 'x'", 'edge_logs.k', 'edge_logs'),
  hidden('in GROUP BY', 'select count(*) as n from edge_logs e group by edge_logs.k', 'edge_logs.k', 'edge_logs'),
  hidden('in HAVING', 'select 1 as x from edge_logs e having max(edge_logs.n) = 1', 'edge_logs.n', 'edge_logs'),
  hidden('in ORDER BY', 'select e.k from edge_logs e order by edge_logs.n', 'edge_logs.n', 'edge_logs'),
  hidden('in an aggregate', 'select countif(edge_logs.n > 0) as v from edge_logs e', 'edge_logs.n', 'edge_logs'),
  hidden('in a function of texts', 'select upper(edge_logs.k) as v from edge_logs e', 'edge_logs.k', 'edge_logs'),
  hidden('in UNNEST', 'select 1 from edge_logs e cross join unnest(edge_logs.k)', 'edge_logs.k', 'edge_logs'),
  hidden('before metadata', 'select edge_logs.metadata.k as v from edge_logs e', 'edge_logs.metadata.k', 'edge_logs'),
  hidden('in another case', 'select Edge_Logs.k from edge_logs e', 'Edge_Logs.k', 'Edge_Logs'),
  hidden('without a field', 'select edge_logs as v from edge_logs e', 'edge_logs', 'edge_logs'),
  hidden('the alias of a source', 'select postgres.logs.k from postgres.logs e', 'postgres.logs.k', 'postgres.logs'),
  hidden(
    'the other name of a source',
    'select postgres_logs.k from postgres.logs e',
    'postgres_logs.k',
    'postgres_logs',
  ),
  hidden('a common table expression', 'with c as (select * from edge_logs) select c.k from c e', 'c.k', 'c'),
  wrong(
    'in backticks',
    'select `edge_logs`.k from edge_logs as `my e`',
    'The table edge_logs has the alias `my e` here, which hides its own name: write `my e`.k.' +
      ' A field of that name is written metadata.edge_logs.k. (line 1, column 8)',
    options,
  ),
  wrong(
    'before *',
    'select edge_logs.* from edge_logs as e',
    'There is no table edge_logs: write e.* (line 1, column 8)',
    options,
  ),
  refused(
    'of the query around a subquery',
    'select 1 as x from edge_logs where k in (select edge_logs.k from edge_logs as e)',
    'edge_logs is a table of the outer query, and correlated subqueries are not covered: ' +
      'compare with value IN (select …). A field of that name is written metadata.edge_logs.k. (line 1, column 49)',
    options,
  ),

  own('a field of that name is written with metadata', 'select metadata.edge_logs.k as v from edge_logs e', [
    { v: 'field' },
  ]),
  own('a field of that name is written with the alias', 'select e.edge_logs.k as v from edge_logs e', [{ v: 'field' }]),
  own('an alias that is the name', 'select edge_logs.k from edge_logs as Edge_Logs', [{ k: 'x' }]),
  own('a list with the name', 'select edge_logs.k from edge_logs e, unnest(metadata) edge_logs', [{ k: 'x' }]),
  own('a column with the name', 'with c as (select n as c from edge_logs) select c from c e', [{ c: 1 }]),
  own('an output with the name', 'select k as edge_logs from edge_logs e order by edge_logs', [{ edge_logs: 'x' }]),
]
