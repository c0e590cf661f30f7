-- How much CPU time and memory a function used, per bucket of time. Earlier pages of Studio ask for it.
--
-- They send function_id and interval, read every column, and fill buckets without a row with 0. CPU time
-- (milliseconds) and memory (sent in bytes, returned in MB) are fields of function_logs, which the Vector of a
-- self-hosted Supabase does not send: there the result is empty.
-- param project: text, required
-- param function_id: text
-- param interval: word 5min|15min|1hr|1day|7day, otherwise 1day
-- cache: 10s, warm 10s
select
  cast(
    case @interval
      when '7day' then timestamp_trunc(timestamp, day)
      when '1day' then timestamp_trunc(timestamp, hour)
      else timestamp_trunc(timestamp, minute)
    end as datetime
  ) as timestamp,
  avg(cpu_time_used) as avg_cpu_time_used,
  avg(memory_used.total) / 1000000 as avg_memory_used
from function_logs
where (@function_id is null or function_id = @function_id)
  and (cpu_time_used is not null or memory_used.total is not null)
  and timestamp >= case @interval
    when '5min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 5 minute)
    when '15min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 15 minute)
    when '1hr' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 1 hour)
    when '7day' then timestamp_sub(timestamp_trunc(current_timestamp(), day), interval 7 day)
    else timestamp_sub(timestamp_trunc(current_timestamp(), hour), interval 1 day)
  end
group by 1
order by 1
