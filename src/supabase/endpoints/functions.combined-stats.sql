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
with records as (
  select
    timestamp,
    function_id,
    true as is_invocation,
    response.status_code as status,
    execution_time_ms,
    null as level,
    null as cpu_time_used,
    null as memory_total,
    null as memory_heap,
    null as memory_external
  from function_edge_logs
  where not (function_id is null and execution_time_ms is null and response.status_code is null)
  union all
  select
    timestamp, function_id, false, null, null, lower(level), cpu_time_used, memory_used.total, memory_used.heap,
    memory_used.external
  from function_logs
)
select
  cast(
    case
      when @interval = '7day' then timestamp_trunc(timestamp, day)
      when @interval in ('1day', '3day') then timestamp_trunc(timestamp, hour)
      else timestamp_trunc(timestamp, minute)
    end as datetime
  ) as timestamp,
  countif(is_invocation) as requests_count,
  countif(status between 200 and 299) as success_count,
  countif(status between 300 and 399) as redirect_count,
  countif(status between 400 and 499) as client_err_count,
  countif(status >= 500) as server_err_count,
  avg(execution_time_ms) as avg_execution_time,
  max(execution_time_ms) as max_execution_time,
  countif(not is_invocation) as log_count,
  countif(level in ('info', 'log', 'debug')) as log_info_count,
  countif(level in ('warn', 'warning')) as log_warn_count,
  countif(level in ('error', 'fatal')) as log_error_count,
  avg(cpu_time_used) as avg_cpu_time_used,
  max(cpu_time_used) as max_cpu_time_used,
  avg(memory_total) / 1000000 as avg_memory_used,
  avg(memory_heap) / 1000000 as avg_heap_memory_used,
  avg(memory_external) / 1000000 as avg_external_memory_used
from records
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
order by 1
