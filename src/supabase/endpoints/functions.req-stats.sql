-- How a function answered and how long it took, per bucket of time. Earlier pages of Studio ask for it.
--
-- They send function_id and interval, read every column, and fill buckets without a row with 0. Console lines, all
-- that Vector sends of functions, are no invocations: with them alone the result is empty.
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
  count(*) as count,
  countif(response.status_code between 200 and 299) as success_count,
  countif(response.status_code between 300 and 399) as redirect_count,
  countif(response.status_code between 400 and 499) as client_err_count,
  countif(response.status_code >= 500) as server_err_count,
  avg(execution_time_ms) as avg_execution_time
from function_edge_logs
where (@function_id is null or function_id = @function_id)
  and not (function_id is null and execution_time_ms is null and response.status_code is null)
  and timestamp >= case @interval
    when '5min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 5 minute)
    when '15min' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 15 minute)
    when '1hr' then timestamp_sub(timestamp_trunc(current_timestamp(), minute), interval 1 hour)
    when '7day' then timestamp_sub(timestamp_trunc(current_timestamp(), day), interval 7 day)
    else timestamp_sub(timestamp_trunc(current_timestamp(), hour), interval 1 day)
  end
group by 1
order by 1
