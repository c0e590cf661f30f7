-- The paths of a project that fail the most in the last day, or 7: requests and the part of them with an error.
-- param project: text, required
-- param window: word 1day|7day, otherwise 1day
-- param least: number, otherwise 1
-- max rows: 100
-- cache: 60s, warm 30s
select
  request.path,
  count(*) as requests,
  countif(response.status_code >= 400) / count(*) as error_rate
from edge_logs
where timestamp >= timestamp_sub(current_timestamp(), interval if(@window = '7day', 7, 1) day)
group by path
having requests >= @least
order by error_rate desc, path
