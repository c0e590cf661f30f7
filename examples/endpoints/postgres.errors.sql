-- The errors of a project's database in the last day, or 7: the most frequent first.
-- param project: text, required
-- param window: word 1day|7day, otherwise 1day
-- max rows: 100
-- cache: 60s, warm 30s
select
  parsed.error_severity,
  parsed.sql_state_code,
  count(*) as errors,
  count(distinct parsed.user_name) as users,
  max(timestamp) as latest
from postgres_logs
where parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')
  and timestamp >= timestamp_sub(current_timestamp(), interval if(@window = '7day', 7, 1) day)
group by error_severity, sql_state_code
order by errors desc, latest desc, error_severity, sql_state_code
