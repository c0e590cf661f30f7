/**
 * The stored queries, the questions about fields and the queries of events in the SQL of a peer. The statements are the
 * same for each peer. A dialect has the expressions that differ, and `@name` parameters are replaced by values.
 *
 * A dialect: `quote(text)`, `moment(us)`, `microseconds(timestamp)`, `truncate(bucket, timestamp)`,
 * `bucketStart(bucket)` in microseconds, `bucketText(bucket)`, `countIf(condition)`, `contains(text, part)`,
 * `matches(text, pattern)`, `quantiles(column, shares)` and `exactQuantiles(column, shares)`, which return lists with
 * 1-based indexes.
 */
import { eventSqlOf } from '../bluesky/queries.mjs'
import { FIELD_STATEMENTS } from './field-sql.mjs'

const SECOND_US = 1e6
const LENGTH_US = { minute: 60 * SECOND_US, hour: 3_600 * SECOND_US, day: 86_400 * SECOND_US }

const INVOCATION_INTERVALS = {
  '7day': { windowUs: 7 * LENGTH_US.day, bucket: 'day' },
  '1day': { windowUs: LENGTH_US.day, bucket: 'hour' },
  '1hr': { windowUs: LENGTH_US.hour, bucket: 'minute' },
}
const COUNT_INTERVALS = {
  daily: { windowUs: 7 * LENGTH_US.day, bucket: 'day' },
  minutely: { windowUs: LENGTH_US.hour, bucket: 'minute' },
}
const RETENTION_US = { PRO: 7 * LENGTH_US.day }

/** p95 and p99, then the percentiles 1 % of rank below and above each. */
const TIMED_SHARES = [0.95, 0.99]
const CHECKED_SHARES = [...TIMED_SHARES, 0.94, 0.96, 0.98, 1]
const BOUNDS = 'q[3] as p95_least, q[4] as p95_most, q[5] as p99_least, q[6] as p99_most,'

const STATEMENTS = {
  ...FIELD_STATEMENTS,
  'logs.all': logsAll,
  'functions.invocation-stats': invocationStats,
  'usage.api-counts': apiCounts,
}

/**
 * Returns the statement for a call. `exact`: with exact percentiles and the bounds for the percentiles of other
 * engines, and with an order without ties.
 */
export function sqlOf(dialect, call, nowUs, exact) {
  if (call.events !== undefined) return eventSqlOf(dialect, call, exact)
  const { endpoint, question, params } = call
  return STATEMENTS[endpoint ?? question](dialect, params, nowUs, exact)
}

function logsAll(d, { project, project_tier }, nowUs) {
  return `
    select id, ${d.microseconds('t.timestamp')} as timestamp, event_message, metadata
    from edge_logs as t
    where project = ${d.quote(project)} and t.timestamp > ${d.moment(nowUs - RETENTION_US[project_tier])}
    order by t.timestamp desc
    limit 100`
}

function invocationStats(d, { project, function_id, interval }, nowUs, exact) {
  const { windowUs, bucket } = INVOCATION_INTERVALS[interval]
  const start = (timestampUs) => Math.floor(timestampUs / LENGTH_US[bucket]) * LENGTH_US[bucket]
  const percentiles = exact
    ? d.exactQuantiles('execution_time_ms', CHECKED_SHARES)
    : d.quantiles('execution_time_ms', TIMED_SHARES)
  return `
    select ${d.bucketStart('bucket')} as timestamp, min_execution_time, max_execution_time, avg_execution_time,
      q[1] as p95_execution_time, q[2] as p99_execution_time, ${exact ? BOUNDS : ''} count, error_count
    from (
      select ${d.truncate(bucket, 'timestamp')} as bucket,
        min(execution_time_ms) as min_execution_time,
        max(execution_time_ms) as max_execution_time,
        avg(execution_time_ms) as avg_execution_time,
        ${percentiles} as q,
        count(*) as count,
        ${d.countIf('status_code >= 400')} as error_count
      from function_edge_logs
      where project = ${d.quote(project)}
        and timestamp >= ${d.moment(start(nowUs - windowUs))}
        and timestamp < ${d.moment(start(nowUs) + LENGTH_US[bucket])}
        ${function_id === undefined ? '' : `and function_id = ${d.quote(function_id)}`}
      group by bucket
    ) as buckets
    order by bucket`
}

function apiCounts(d, { project, interval }, nowUs) {
  const { windowUs, bucket } = COUNT_INTERVALS[interval]
  const area = (name) => `${d.countIf(d.contains('path', `/${name}`))} as total_${name}_requests`
  return `
    select ${d.bucketText('bucket')} as timestamp,
      total_rest_requests, total_storage_requests, total_auth_requests, total_realtime_requests
    from (
      select ${d.truncate(bucket, 'timestamp')} as bucket,
        ${['rest', 'storage', 'auth', 'realtime'].map(area).join(', ')}
      from edge_logs
      where timestamp >= ${d.moment(nowUs - windowUs)} and ${d.matches('url', project)}
      group by bucket
    ) as buckets
    order by bucket`
}
