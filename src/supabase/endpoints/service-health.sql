-- How many records of each source are fine, warnings and errors, per bucket of time.
--
-- Studio's overview of observability sends the ends of a range, snapped to minutes, and the granularity. It reads the
-- timestamp as a text, and ok, warning and error of the object of each source; it fills buckets without a row with 0.
-- The records of postgrest_logs do not say whether a request failed, and count as fine. Console lines of functions are
-- no requests, and are left out. Studio takes the objects of other sources, such as supavisor_logs, as 0.
-- param project: text, required
-- param iso_timestamp_start: timestamp, required
-- param iso_timestamp_end: timestamp, required
-- param granularity: word minute|hour|day, otherwise hour
-- cache: 10s, warm 10s
with counts as (
  select
    timestamp_trunc(timestamp, @granularity) as bucket,
    'postgres_logs' as source,
    countif(parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')) as error,
    countif(
      case
        when parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') then false
        else parsed.error_severity = 'WARNING'
      end
    ) as warning,
    count(*) as total
  from postgres_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
  group by 1
  union all
  select
    timestamp_trunc(timestamp, @granularity),
    'auth_logs',
    countif(level in ('error', 'fatal') or safe_cast(status as int64) >= 500),
    countif(
      case
        when level in ('error', 'fatal') or safe_cast(status as int64) >= 500 then false
        else level = 'warning' or safe_cast(status as int64) between 400 and 499
      end
    ),
    count(*)
  from auth_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
  group by 1
  union all
  select
    timestamp_trunc(timestamp, @granularity),
    'function_edge_logs',
    countif(response.status_code >= 500),
    countif(case when response.status_code >= 500 then false else response.status_code between 400 and 499 end),
    count(*)
  from function_edge_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
    and not (function_id is null and execution_time_ms is null and response.status_code is null)
  group by 1
  union all
  select
    timestamp_trunc(timestamp, @granularity),
    'storage_logs',
    countif(level in ('error', 'fatal')),
    countif(case when level in ('error', 'fatal') then false else level in ('warn', 'warning') end),
    count(*)
  from storage_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
  group by 1
  union all
  select
    timestamp_trunc(timestamp, @granularity),
    'realtime_logs',
    countif(level in ('error', 'critical', 'alert', 'emergency')),
    countif(
      case
        when level in ('error', 'critical', 'alert', 'emergency') then false
        else level in ('warn', 'warning')
      end
    ),
    count(*)
  from realtime_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
  group by 1
  union all
  select
    timestamp_trunc(timestamp, @granularity),
    'postgrest_logs',
    0,
    0,
    count(*)
  from postgrest_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
  group by 1
  union all
  select
    timestamp_trunc(timestamp, @granularity),
    'edge_logs',
    countif(response.status_code >= 500),
    countif(case when response.status_code >= 500 then false else response.status_code between 400 and 499 end),
    count(*)
  from edge_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
  group by 1
  union all
  select
    timestamp_trunc(timestamp, @granularity),
    'function_logs',
    countif(level in ('error', 'fatal')),
    countif(case when level in ('error', 'fatal') then false else level in ('warn', 'warning') end),
    count(*)
  from function_logs
  where timestamp > @iso_timestamp_start and timestamp <= @iso_timestamp_end
  group by 1
)
select
  cast(bucket as datetime) as timestamp,
  json_object(
    'ok', sum(if(source = 'postgres_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'postgres_logs', warning, 0)),
    'error', sum(if(source = 'postgres_logs', error, 0)),
    'total', sum(if(source = 'postgres_logs', total, 0))
  ) as postgres_logs,
  json_object(
    'ok', sum(if(source = 'auth_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'auth_logs', warning, 0)),
    'error', sum(if(source = 'auth_logs', error, 0)),
    'total', sum(if(source = 'auth_logs', total, 0))
  ) as auth_logs,
  json_object(
    'ok', sum(if(source = 'function_edge_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'function_edge_logs', warning, 0)),
    'error', sum(if(source = 'function_edge_logs', error, 0)),
    'total', sum(if(source = 'function_edge_logs', total, 0))
  ) as function_edge_logs,
  json_object(
    'ok', sum(if(source = 'storage_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'storage_logs', warning, 0)),
    'error', sum(if(source = 'storage_logs', error, 0)),
    'total', sum(if(source = 'storage_logs', total, 0))
  ) as storage_logs,
  json_object(
    'ok', sum(if(source = 'realtime_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'realtime_logs', warning, 0)),
    'error', sum(if(source = 'realtime_logs', error, 0)),
    'total', sum(if(source = 'realtime_logs', total, 0))
  ) as realtime_logs,
  json_object(
    'ok', sum(if(source = 'postgrest_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'postgrest_logs', warning, 0)),
    'error', sum(if(source = 'postgrest_logs', error, 0)),
    'total', sum(if(source = 'postgrest_logs', total, 0))
  ) as postgrest_logs,
  json_object(
    'ok', sum(if(source = 'edge_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'edge_logs', warning, 0)),
    'error', sum(if(source = 'edge_logs', error, 0)),
    'total', sum(if(source = 'edge_logs', total, 0))
  ) as edge_logs,
  json_object(
    'ok', sum(if(source = 'function_logs', total - error - warning, 0)),
    'warning', sum(if(source = 'function_logs', warning, 0)),
    'error', sum(if(source = 'function_logs', error, 0)),
    'total', sum(if(source = 'function_logs', total, 0))
  ) as function_logs
from counts
group by bucket
order by bucket
