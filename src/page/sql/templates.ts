/** Queries to begin with. A test runs each query. */

/** A query with a title. */
export interface Template {
  title: string
  sql: string
}

/** The templates, in the order of the menu. The first template is in the editor when the view is opened. */
export const TEMPLATES: readonly Template[] = [
  {
    title: 'Requests and errors by hour',
    sql: `select
  timestamp_trunc(timestamp, hour) as hour,
  count(*) as requests,
  countif(response.status_code >= 500) as failed
from edge_logs
group by hour
order by hour`,
  },
  {
    title: 'Slowest paths',
    sql: `-- Milliseconds until the origin answered, by path.
select
  request.path,
  count(*) as requests,
  round(avg(response.origin_time)) as average,
  approx_quantiles(response.origin_time, 100)[offset(95)] as p95
from edge_logs
where response.origin_time is not null
group by path
order by p95 desc
limit 50`,
  },
  {
    title: 'Paths that fail most',
    sql: `select
  request.method,
  request.path,
  response.status_code as status,
  count(*) as failed
from edge_logs
where response.status_code >= 400
group by method, path, status
order by failed desc
limit 50`,
  },
  {
    title: 'Top user agents',
    sql: `select
  request.headers.user_agent,
  count(*) as requests,
  round(100 * safe_divide(countif(response.status_code >= 400), count(*)), 1) as percent_failed
from edge_logs
group by user_agent
order by requests desc
limit 20`,
  },
  {
    title: 'Failed logins',
    sql: `select timestamp, remote_addr, path, status, msg
from auth_logs
where path in ('/token', '/otp', '/verify', '/callback')
  and status >= 400
order by timestamp desc
limit 100`,
  },
  {
    title: 'Postgres errors by user',
    sql: `select
  parsed.user_name,
  parsed.error_severity,
  parsed.sql_state_code,
  count(*) as errors,
  max(timestamp) as latest,
  any_value(event_message) as example
from postgres_logs
where parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')
group by user_name, error_severity, sql_state_code
order by errors desc
limit 100`,
  },
  {
    title: 'Duration of functions',
    sql: `-- Milliseconds of each function's invocations.
select
  function_id,
  count(*) as invocations,
  countif(response.status_code >= 400) as failed,
  approx_quantiles(execution_time_ms, 100)[offset(50)] as p50,
  approx_quantiles(execution_time_ms, 100)[offset(95)] as p95,
  max(execution_time_ms) as longest
from function_edge_logs
group by function_id
order by p95 desc`,
  },
  {
    title: 'Errors of all sources by hour',
    sql: `with errors as (
  select timestamp, 'requests' as kind from edge_logs where response.status_code >= 500
  union all
  select timestamp, 'postgres' as kind from postgres_logs where parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')
  union all
  select timestamp, 'functions' as kind from function_logs where level = 'error'
)
select timestamp_trunc(timestamp, hour) as hour, kind, count(*) as errors
from errors
group by hour, kind
order by hour, kind`,
  },
  {
    title: 'Countries, with unnest',
    sql: `-- A path passes through lists by itself; unnest gives a row for each element of a list.
select cf.country, count(*) as requests
from edge_logs
cross join unnest(metadata.request) as request
cross join unnest(request.cf) as cf
group by country
order by requests desc
limit 20`,
  },
  {
    title: 'Newest rows of a source',
    sql: `select timestamp, event_message, metadata
from storage_logs
order by timestamp desc
limit 100`,
  },
]
