/** Queries of Studio's page of unified logs, over the sources that need no join. */

const LEVEL = (status: string) => `CASE
          WHEN ${status} BETWEEN 200 AND 299 THEN 'success'
          WHEN ${status} BETWEEN 400 AND 499 THEN 'warning'
          WHEN ${status} >= 500 THEN 'error'
          ELSE 'success'
      END`

const ofEdge = (type: string, where: string) => `
    select id, null as source_id, el.timestamp as timestamp, '${type}' as log_type,
      CAST(edge_response.status_code AS STRING) as status,
      ${LEVEL('edge_response.status_code')} as level,
      edge_request.path as pathname, null as event_message, edge_request.method as method,
      null as log_count, null as logs
    from edge_logs as el
    cross join unnest(metadata) as edge_metadata
    cross join unnest(edge_metadata.request) as edge_request
    cross join unnest(edge_metadata.response) as edge_response
    -- by path
    WHERE ${where}`

const TYPES = {
  edge: ofEdge('edge', "edge_request.path NOT LIKE '%/rest/%'\n    AND edge_request.path NOT LIKE '%/storage/%'"),
  postgrest: ofEdge('postgrest', "edge_request.path LIKE '%/rest/%'"),
  storage: ofEdge('storage', "edge_request.path LIKE '%/storage/%'"),
  postgres: `
    select id, null as source_id, pgl.timestamp as timestamp, 'postgres' as log_type,
      CAST(pgl_parsed.sql_state_code AS STRING) as status,
      CASE
          WHEN pgl_parsed.error_severity = 'LOG' THEN 'success'
          WHEN pgl_parsed.error_severity = 'WARNING' THEN 'warning'
          WHEN pgl_parsed.error_severity = 'FATAL' THEN 'error'
          WHEN pgl_parsed.error_severity = 'ERROR' THEN 'error'
          ELSE null
      END as level,
      null as pathname, event_message as event_message, null as method, null as log_count, null as logs
    from postgres_logs as pgl
    cross join unnest(pgl.metadata) as pgl_metadata
    cross join unnest(pgl_metadata.parsed) as pgl_parsed`,
} as const

export type LogType = keyof typeof TYPES

const cte = (types: readonly LogType[]) =>
  `WITH unified_logs AS (${types.map((type) => TYPES[type]).join(' union all ')}\n)`

const whereOf = (conditions: readonly string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '')

/** A page of rows, the newest first. */
export const unifiedRows = (types: readonly LogType[], conditions: readonly string[] = []): string => `
${cte(types)}
SELECT
    id, source_id, timestamp, log_type, status, level, pathname, event_message, method, log_count, logs
FROM unified_logs
${whereOf(conditions)}
 ORDER BY timestamp DESC, id DESC LIMIT 50`

/** The chart above the rows. */
export const unifiedChart = (types: readonly LogType[], unit: 'MINUTE' | 'HOUR' | 'DAY'): string => `
${cte(types)}
SELECT
  TIMESTAMP_TRUNC(timestamp, ${unit}) as time_bucket,
  COUNTIF(level = 'success') as success,
  COUNTIF(level = 'warning') as warning,
  COUNTIF(level = 'error') as error,
  COUNT(*) as total_per_bucket
FROM unified_logs

GROUP BY time_bucket
ORDER BY time_bucket ASC
`

/** All kinds of logs that the counts name. The last two kinds have joins, which are not covered. */
const COUNTED = [...Object.keys(TYPES), 'edge function', 'auth'].map((type) => [type, type.replace(' ', '_')] as const)

const facet = (name: string) => `${name}_count AS (
  SELECT '${name}' as dimension, ${name} as value, COUNT(*) as count
  FROM unified_logs
  WHERE ${name} IS NOT NULL

  GROUP BY ${name}
  LIMIT 20
)`

/** The numbers next to the filters: a row per dimension and value. */
export const unifiedCounts = (types: readonly LogType[], conditions: readonly string[] = []): string => `
${cte(types)},

-- one pass for all types
log_type_counts AS (
  SELECT COUNT(*) AS total, ${COUNTED.map(([type, name]) => `COUNTIF(log_type = '${type}') AS ${name}_count`).join(
    ', ',
  )}
  FROM unified_logs
  ${conditions.length > 0 ? whereOf(conditions) : 'WHERE log_type IS NOT NULL'}
),
level_counts AS (
  SELECT COUNTIF(level = 'success') AS success_count, COUNTIF(level = 'warning') AS warning_count,
    COUNTIF(level = 'error') AS error_count
  FROM unified_logs
  WHERE level IS NOT NULL
),
${['method', 'status', 'pathname'].map(facet).join(',\n')}

SELECT 'total' AS dimension, 'all' AS value, total AS count FROM log_type_counts
${COUNTED.map(([type, name]) => `UNION ALL SELECT 'log_type', '${type}', ${name}_count FROM log_type_counts`).join(' ')}
${['success', 'warning', 'error']
  .map((level) => `UNION ALL SELECT 'level', '${level}', ${level}_count FROM level_counts`)
  .join('\n')}
UNION ALL SELECT dimension, value, count FROM method_count
UNION ALL SELECT dimension, value, count FROM status_count
UNION ALL SELECT dimension, value, count FROM pathname_count
`
