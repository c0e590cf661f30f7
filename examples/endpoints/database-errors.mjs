// @ts-check
import { agg, count, DAY_US, endpoint, equals, fn, max, scan, sql, text, word } from 'logweir/endpoint'

const WINDOWS_US = { '1day': DAY_US, '7day': 7 * DAY_US }

/**
 * postgres.errors: the errors of a project's database, by severity and SQLSTATE.
 *
 * Gives   at most 100 rows, the most frequent first: error_severity, sql_state_code, errors, users, latest (µs UTC)
 * Window  the last day, or 7
 */
export default endpoint({
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a03',
  name: 'postgres.errors',
  maxRows: 100,
  cache: { ttlS: 60, warmS: 30 },
  params: {
    project: text('the project whose database is read'),
    window: word(WINDOWS_US, '1day'),
  },
  query: sql`
    select
      parsed.error_severity,
      parsed.sql_state_code,
      count(*) as errors,
      count(distinct parsed.user_name) as users,
      max(timestamp) as latest
    from postgres_logs
    where project = @project
      and parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')
      and timestamp >= timestamp_sub(current_timestamp(), interval if(@window = '7day', 7, 1) day)
    group by error_severity, sql_state_code
    order by errors desc, latest desc, error_severity, sql_state_code nulls last
    limit 100
  `,
  plan({ project, window }, nowUs) {
    return scan('postgres_logs', { fromUs: nowUs - WINDOWS_US[window], throughUs: Number.POSITIVE_INFINITY })
      .filter(equals('project', project), fn.in('parsed.error_severity', 'ERROR', 'FATAL', 'PANIC'))
      .group('parsed.error_severity', 'parsed.sql_state_code')
      .aggregate({ errors: count(), users: agg.count_distinct('parsed.user_name'), latest: max('timestamp') })
      .orderBy('errors', 'desc')
      .thenBy('latest', 'desc')
      .limit(100)
  },
})
