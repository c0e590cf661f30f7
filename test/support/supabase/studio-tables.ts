/** The tables of Studio's logs pages that a self-hosted Supabase has, and how their queries are built. */

interface Table {
  source: string
  /** Behind FROM. */
  joins: string
  /** The columns of a list of rows. */
  columns: string
  isError: string
  isWarning: string
}

const EDGE = `cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response`
const PARSED = 'cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed'
const METADATA = 'cross join unnest(metadata) as metadata'
const plain = (source: string): Table => ({
  source,
  joins: '',
  columns: `id, ${source}.timestamp, event_message`,
  isError: 'false',
  isWarning: 'false',
})

const BY_STATUS = {
  isError: 'response.status_code >= 500',
  isWarning: 'response.status_code >= 400 AND response.status_code < 500',
}
const BY_SEVERITY = {
  isError: "parsed.error_severity IN ('ERROR', 'FATAL', 'PANIC')",
  isWarning: "parsed.error_severity IN ('WARNING')",
}
const STATUS = 'IFNULL(SAFE_CAST(metadata.status AS INT64), 0)'

export const TABLES = {
  edge_logs: {
    source: 'edge_logs',
    joins: EDGE,
    columns:
      'id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code',
    ...BY_STATUS,
  },
  postgres_logs: {
    source: 'postgres_logs',
    joins: PARSED,
    columns: 'postgres_logs.timestamp, id, event_message, parsed.error_severity, parsed.detail, parsed.hint',
    ...BY_SEVERITY,
  },
  auth_logs: {
    source: 'auth_logs',
    joins: METADATA,
    columns: `id, auth_logs.timestamp, event_message,
  metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error`,
    isError: `IFNULL(metadata.level, '') IN ('error', 'fatal') OR ${STATUS} >= 500`,
    isWarning: `IFNULL(metadata.level, '') = 'warning' OR ${STATUS} BETWEEN 400 AND 499`,
  },
  function_logs: {
    source: 'function_logs',
    joins: METADATA,
    columns: `id, function_logs.timestamp, event_message,
  metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level`,
    isError: "metadata.level IN ('error', 'fatal')",
    isWarning: "metadata.level IN ('warning')",
  },
  function_edge_logs: {
    source: 'function_edge_logs',
    joins: `cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request`,
    columns: 'id, function_edge_logs.timestamp, event_message',
    ...BY_STATUS,
  },
  pg_cron_logs: {
    source: 'postgres_logs',
    joins: PARSED,
    columns: 'id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.query',
    ...BY_SEVERITY,
  },
  realtime_logs: plain('realtime_logs'),
  storage_logs: plain('storage_logs'),
  postgrest_logs: plain('postgrest_logs'),
  pgbouncer_logs: plain('pgbouncer_logs'),
} satisfies Record<string, Table>

export type TableName = keyof typeof TABLES

/** The condition of the page of cron jobs, which reads the records of the database. */
const CRON = "( parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%' )"

function whereOf(name: TableName, conditions: readonly string[]): string {
  const all = [...(name === 'pg_cron_logs' ? [CRON] : []), ...conditions.map((one) => `(${one})`)]
  return all.length === 0 ? '' : `where ${all.join(' and ')}`
}

/** The newest rows of a table. */
export function rowsQuery(name: TableName, conditions: readonly string[] = [], limit = 100): string {
  const { source, joins, columns } = TABLES[name]
  // The page of functions lists console lines too, and neither joins nor filters.
  const rest = name === 'function_edge_logs' ? '' : `${joins}\n${whereOf(name, conditions)}`
  const select = `select ${columns}\nfrom ${source}\n${rest}\norder by timestamp desc\nlimit ${limit}`
  return `\n-- local ${name} query\n${select}${name === 'edge_logs' ? ';' : ''}\n`
}

/** How many rows are new. */
export function countQuery(name: TableName, conditions: readonly string[] = []): string {
  const { source, joins } = TABLES[name]
  return `SELECT count(*) as count FROM ${source} ${joins} ${whereOf(name, conditions)}`
}

/** The chart above a table. `fromIso` is before the range that the page shows. */
export function chartQuery(
  name: TableName,
  unit: 'minute' | 'hour' | 'day',
  fromIso: string,
  conditions: readonly string[] = [],
): string {
  const { source, joins, isError, isWarning } = TABLES[name]
  const where = whereOf(name, conditions)
  return `
SELECT
-- log-event-chart
  timestamp_trunc(t.timestamp, ${unit}) as timestamp,
  count(CASE WHEN NOT (${isError} OR ${isWarning}) THEN 1 END) as ok_count,
  count(CASE WHEN ${isError} THEN 1 END) as error_count,
  count(CASE WHEN ${isWarning} THEN 1 END) as warning_count,
FROM
  ${source} t
  ${joins}
  ${where === '' ? 'where' : `${where} and`} t.timestamp > '${fromIso}'
GROUP BY
timestamp
ORDER BY
  timestamp ASC
  `
}

/** All columns of a row. */
export const singleQuery = (name: TableName, id: string): string =>
  `select id, timestamp, event_message, metadata from ${TABLES[name].source} where id = '${id}' limit 1`

/** The filters that the pages offer, by table. */
export const FILTERS: Partial<Record<TableName, readonly string[]>> = {
  edge_logs: [
    'response.status_code between 500 and 599',
    'response.status_code between 400 and 499 or response.status_code between 200 and 299',
    "request.path like '/rest/%' or request.path like '/graphql/%'",
    "request.method = 'GET'",
    "regexp_contains(event_message, 'node')",
  ],
  postgres_logs: [
    "parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')",
    "parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC')",
    "parsed.error_severity = 'LOG'",
  ],
  auth_logs: [
    `${TABLES.auth_logs.isError}`,
    `NOT (${TABLES.auth_logs.isError}) AND NOT (${TABLES.auth_logs.isWarning})`,
    'cast(metadata.status as int64) between 400 and 499',
    'REGEXP_CONTAINS(metadata.path, "/signup|/invite|/verify")',
  ],
  function_logs: ["metadata.level = 'error'", "metadata.level != 'error'"],
  realtime_logs: ["regexp_contains(event_message, '[Mm]etrics')"],
}
