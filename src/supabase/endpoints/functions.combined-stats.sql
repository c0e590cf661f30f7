-- How a function answered, how long it took, what it used and what it logged, per bucket of time.
--
-- Studio's page of a function sends function_id and interval, reads every column, and fills buckets without a row
-- with 0. The timestamp is a text, since Studio fills gaps wrongly next to a number.
--
-- Console lines, all that Vector sends of functions, are no invocations: they have neither function id, status nor
-- execution time. With them alone the result is empty. CPU time (milliseconds) and memory (sent in bytes, returned in
-- MB) are those of function_logs; null if no record has them.
-- param project: text, required
-- param function_id: text
-- param interval: word 15min|30min|1hr|3hr|1day|3day|7day, otherwise 1day
-- cache: 10s, warm 10s
with stats as (
  select
    case
      when @interval = '7day' then timestamp_trunc(timestamp, day)
      when @interval in ('1day', '3day') then timestamp_trunc(timestamp, hour)
      else timestamp_trunc(timestamp, minute)
    end as bucket,
    count(*) as requests_count,
    countif(response.status_code between 200 and 299) as success_count,
    countif(response.status_code between 300 and 399) as redirect_count,
    countif(response.status_code between 400 and 499) as client_err_count,
    countif(response.status_code >= 500) as server_err_count,
    avg(execution_time_ms) as avg_execution_time,
    max(execution_time_ms) as max_execution_time,
    0 as log_count,
    0 as log_info_count,
    0 as log_warn_count,
    0 as log_error_count,
    null as avg_cpu_time_used,
    null as max_cpu_time_used,
    null as avg_memory_used,
    null as avg_heap_memory_used,
    null as avg_external_memory_used
  from function_edge_logs
  where (@function_id is null or function_id = @function_id)
    and not (function_id is null and execution_time_ms is null and response.status_code is null)
    and timestamp >= case @interval
      when '15min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 15 minute)
      when '30min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 30 minute)
      when '1hr' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 1 hour)
      when '3hr' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 3 hour)
      when '3day' then timestamp_sub(timestamp_trunc(current_timestamp(), hour), interval 3 day)
      when '7day' then timestamp_sub(timestamp_trunc(current_timestamp(), day), interval 7 day)
      else timestamp_sub(timestamp_trunc(current_timestamp(), hour), interval 1 day)
    end
  group by 1
  union all
  select
    case
      when @interval = '7day' then timestamp_trunc(timestamp, day)
      when @interval in ('1day', '3day') then timestamp_trunc(timestamp, hour)
      else timestamp_trunc(timestamp, minute)
    end,
    0, 0, 0, 0, 0, null, null,
    count(*),
    countif(lower(level) in ('info', 'log', 'debug')),
    countif(lower(level) in ('warn', 'warning')),
    countif(lower(level) in ('error', 'fatal')),
    avg(cpu_time_used),
    max(cpu_time_used),
    avg(memory_used.total) / 1000000,
    avg(memory_used.heap) / 1000000,
    avg(memory_used.external) / 1000000
  from function_logs
  where (@function_id is null or function_id = @function_id)
    and timestamp >= case @interval
      when '15min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 15 minute)
      when '30min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 30 minute)
      when '1hr' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 1 hour)
      when '3hr' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 3 hour)
      when '3day' then timestamp_sub(timestamp_trunc(current_timestamp(), hour), interval 3 day)
      when '7day' then timestamp_sub(timestamp_trunc(current_timestamp(), day), interval 7 day)
      else timestamp_sub(timestamp_trunc(current_timestamp(), hour), interval 1 day)
    end
  group by 1
)
select
  cast(bucket as datetime) as timestamp,
  sum(requests_count) as requests_count,
  sum(success_count) as success_count,
  sum(redirect_count) as redirect_count,
  sum(client_err_count) as client_err_count,
  sum(server_err_count) as server_err_count,
  max(avg_execution_time) as avg_execution_time,
  max(max_execution_time) as max_execution_time,
  sum(log_count) as log_count,
  sum(log_info_count) as log_info_count,
  sum(log_warn_count) as log_warn_count,
  sum(log_error_count) as log_error_count,
  max(avg_cpu_time_used) as avg_cpu_time_used,
  max(max_cpu_time_used) as max_cpu_time_used,
  max(avg_memory_used) as avg_memory_used,
  max(avg_heap_memory_used) as avg_heap_memory_used,
  max(avg_external_memory_used) as avg_external_memory_used
from stats
group by bucket
order by bucket
