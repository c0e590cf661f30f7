import { MORE, query, refused, type SqlCase, wrong } from './case.js'

const ALL_SOURCES =
  'edge_logs, postgres_logs, function_edge_logs, function_logs, auth_logs, realtime_logs, storage_logs, ' +
  'postgrest_logs, pgbouncer_logs'

const JOINS =
  'Joins of two tables are not covered: write value IN (select …), or UNION ALL. ' +
  'Lists are joined as cross join unnest(metadata.request) as r.'

const counted = (name: string, table: string, n: number, options = {}) =>
  query(name, `select count(*) as n from ${table}`, [{ n }], options)

/** The nine sources by name and alias, and everything else that may follow FROM. */
export const FROM_CASES: readonly SqlCase[] = [
  counted('edge_logs', 'edge_logs', 6),
  counted('postgres_logs', 'postgres_logs', 4),
  counted('function_edge_logs', 'function_edge_logs', 3),
  counted('function_logs', 'function_logs', 2),
  counted('auth_logs', 'auth_logs', 3),
  counted('realtime_logs', 'realtime_logs', 1),
  counted('storage_logs', 'storage_logs', 1),
  counted('postgrest_logs', 'postgrest_logs', 1),
  counted('pgbouncer_logs', 'pgbouncer_logs', 1),
  counted('an alias in backticks', '`cloudflare.logs.prod`', 6),
  counted('an alias without backticks', 'postgres.logs', 4),
  counted('an alias with dashes', 'deno-relay-logs', 3),
  counted('an alias with dashes, in backticks', '`deno-subhosting-events`', 2),
  counted('the alias of auth_logs', 'gotrue.logs.prod', 3),
  counted('the alias of realtime_logs', 'realtime.logs.prod', 1),
  counted('an alias that ends with a number', 'storage.logs.prod.2', 1, MORE),
  counted('an alias that ends with a number, in backticks', '`storage.logs.prod.2`', 1),
  counted('an alias with capital letters', '`postgREST.logs.prod`', 1),
  counted('an alias ignores case', '`PostgRest.Logs.Prod`', 1),
  counted('the alias of pgbouncer_logs', 'pgbouncer.logs.prod', 1),
  counted('a name in backticks', '`edge_logs`', 6),
  counted('a name ignores case', 'Edge_Logs', 6),

  query('a table alias with AS', `select t.id from auth_logs as t where t.level = 'error'`, [{ id: 'a2' }]),
  query('a table alias without AS', `select t.id from auth_logs t where T.level = 'error'`, [{ id: 'a2' }]),
  query('a table alias in backticks', "select `my t`.id from auth_logs as `my t` where level = 'error'", [
    { id: 'a2' },
  ]),
  query('a source is its own alias', `select auth_logs.id from auth_logs where AUTH_LOGS.level = 'error'`, [
    { id: 'a2' },
  ]),

  wrong(
    'an unknown source near a known one',
    'select id\nfrom edge_log',
    `There is no source edge_log. Did you mean edge_logs? There are: ${ALL_SOURCES}. (line 2, column 6)`,
  ),
  wrong(
    'an unknown source',
    'select id from requests',
    `There is no source requests. There are: ${ALL_SOURCES}. (line 1, column 16)`,
  ),
  wrong(
    'a source of a project and a data set',
    'select id from `project.data.edge_logs`',
    `There is no source project.data.edge_logs. There are: ${ALL_SOURCES}. (line 1, column 16)`,
  ),
  refused('a comma and another source', 'select 1 as x from edge_logs, auth_logs', `${JOINS} (line 1, column 29)`),
  refused('JOIN', 'select 1 as x from edge_logs e join auth_logs a on e.id = a.id', `${JOINS} (line 1, column 32)`),
  refused(
    'INNER JOIN',
    'select 1 as x from edge_logs e inner join auth_logs a using (id)',
    `${JOINS} (line 1, column 32)`,
  ),
  refused(
    'LEFT JOIN of a source',
    'select 1 as x from edge_logs left join auth_logs a on true',
    `${JOINS} (line 1, column 30)`,
  ),
  refused(
    'FULL JOIN',
    'select 1 as x from edge_logs full outer join auth_logs on true',
    `${JOINS} (line 1, column 30)`,
  ),
  refused(
    'CROSS JOIN of a source',
    'select 1 as x from edge_logs cross join auth_logs',
    `${JOINS} (line 1, column 30)`,
  ),
  refused(
    'PIVOT',
    "select * from edge_logs pivot(count(*) for request.method in ('GET', 'POST'))",
    'PIVOT is not covered: use countif(condition) and GROUP BY. (line 1, column 25)',
  ),
  ...[
    ['a derived table', 'select * from (select 1 as a) pivot(sum(a) for a in (1, 2))'],
    ['a derived table, on the next line', 'select * from (select 1 as a)\npivot(sum(a) for a in (1, 2))'],
    ['a derived table with an alias', 'select * from (select 1 as a) as t pivot(sum(a) for a in (1, 2))'],
    ['WITH', 'with c as (select 1 as a) select * from c pivot (sum(a) for a in (1, 2))'],
    ['WITH, and an alias', 'with c as (select 1 as a) select * from c t pivot (sum(a) for a in (1, 2))'],
    ['a list', 'select * from edge_logs, unnest(metadata) pivot(sum(a) for a in (1, 2))'],
    ['a list with an alias', 'select * from edge_logs, unnest(metadata) m pivot(sum(a) for a in (1, 2))'],
    ['a subquery', 'select 1 where 1 in (select * from (select 1 as a) pivot(sum(a) for a in (1, 2)))'],
  ].map(([behind, sql]) => {
    const before = sql!.slice(0, sql!.indexOf('pivot'))
    const place = `(line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')})`
    return refused(
      `PIVOT behind ${behind}`,
      sql!,
      `PIVOT is not covered: use countif(condition) and GROUP BY. ${place}`,
    )
  }),
  refused(
    'UNPIVOT behind a derived table',
    'select * from (select 1 as a) unpivot (v for n in (a))',
    'UNPIVOT is not covered: use countif(condition) and GROUP BY. (line 1, column 31)',
  ),
  query('a derived table that is named pivot', 'select pivot.a from (select 1 as a) pivot', [{ a: 1 }], MORE),
  refused(
    'TABLESAMPLE',
    'select * from edge_logs tablesample system (10 percent)',
    'TABLESAMPLE is not covered. (line 1, column 25)',
  ),
  refused(
    'FOR SYSTEM_TIME',
    'select * from edge_logs for system_time as of current_timestamp()',
    'FOR SYSTEM_TIME is not covered: filter by timestamp. (line 1, column 25)',
  ),
  refused(
    'UNNEST as the first table',
    'select x from unnest([1, 2]) as x',
    'UNNEST as the first table is not covered: write from edge_logs cross join unnest(…). (line 1, column 15)',
  ),
  refused(
    'a table function',
    'select x from numbers(10)',
    'The table function numbers is not covered. (line 1, column 15)',
  ),
  wrong(
    'a text as a table',
    "select id from 'edge_logs'",
    'Expected a source or a subquery, found the text "edge_logs". (line 1, column 16)',
  ),
]
