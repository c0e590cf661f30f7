-- What users did and how auth answered in the last day, and in the day before it: two rows.
--
-- Studio's overview of auth always asks for a day, finds the rows by period, and reads every other column as a number.
-- Actions and users are those of GoTrue's audit lines. auth_… counts the records of GoTrue that have a status, and
-- api_… the requests of the gateway under /auth/v1.
-- param project: text, required
-- cache: 10s, warm 10s
with counts as (
  select
    if(timestamp > timestamp_sub(current_timestamp(), interval 1 day), 'current', 'previous') as period,
    count(
      distinct if(
        coalesce(auth_event.action, action) in (
          'login', 'user_signedup', 'token_refreshed', 'user_modified', 'user_recovery_requested',
          'user_reauthenticate_requested'
        ),
        coalesce(auth_event.actor_id, user_id),
        null
      )
    ) as active_users,
    countif(coalesce(auth_event.action, action) = 'user_signedup') as sign_up_count,
    countif(coalesce(auth_event.action, action) = 'user_recovery_requested') as password_reset_requests,
    countif(status is not null) as auth_total_requests,
    countif(
      status is not null and (level in ('error', 'fatal') or safe_cast(status as int64) >= 500)
    ) as auth_total_errors,
    0 as api_total_requests,
    0 as api_error_requests
  from auth_logs
  where timestamp > timestamp_sub(current_timestamp(), interval 2 day)
    and timestamp <= current_timestamp()
  group by period
  union all
  select
    if(timestamp > timestamp_sub(current_timestamp(), interval 1 day), 'current', 'previous'),
    0, 0, 0, 0, 0,
    count(*),
    countif(response.status_code between 400 and 599)
  from edge_logs
  where timestamp > timestamp_sub(current_timestamp(), interval 2 day)
    and timestamp <= current_timestamp()
    and request.path like '%auth/v1%'
  group by 1
  -- Both rows, also if there is no record.
  union all
  select 'current', 0, 0, 0, 0, 0, 0, 0
  union all
  select 'previous', 0, 0, 0, 0, 0, 0, 0
)
select
  period,
  sum(active_users) as active_users,
  sum(sign_up_count) as sign_up_count,
  sum(password_reset_requests) as password_reset_requests,
  sum(auth_total_requests) as auth_total_requests,
  sum(auth_total_errors) as auth_total_errors,
  sum(api_total_requests) as api_total_requests,
  sum(api_error_requests) as api_error_requests
from counts
group by period
order by period
