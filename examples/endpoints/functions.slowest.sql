-- The functions of a project that took the longest in the last day, or 7, by their 95th percentile in milliseconds.
-- param project: text, required
-- param window: word 1day|7day, otherwise 1day
-- max rows: 20
-- cache: 60s, warm 30s
select
  function_id,
  count(*) as calls,
  countif(response.status_code >= 400) as errors,
  countif(response.status_code >= 400) / count(*) as error_rate,
  approx_quantiles(execution_time_ms, 100)[offset(95)] as p95
from function_edge_logs
where timestamp >= timestamp_sub(current_timestamp(), interval if(@window = '7day', 7, 1) day)
group by function_id
order by p95 desc, function_id
