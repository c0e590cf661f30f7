// @ts-check
import {
  atLeast,
  count,
  countWhere,
  DAY_US,
  endpoint,
  equals,
  quantile,
  scan,
  share,
  sql,
  text,
  word,
} from 'logweir/endpoint'

const WINDOWS_US = { '1day': DAY_US, '7day': 7 * DAY_US }

/**
 * functions.slowest: the functions of a project that took the longest, by their 95th percentile.
 *
 * Gives   at most 20 rows, the slowest first: function_id, calls, errors (status >= 400), error_rate (0 to 1), p95 (ms)
 * Window  the last day, or 7
 */
export default endpoint({
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01',
  name: 'functions.slowest',
  maxRows: 20,
  cache: { ttlS: 60, warmS: 30 },
  params: {
    project: text('the project whose functions are read'),
    window: word(WINDOWS_US, '1day'),
  },
  query: sql`
    select
      m.function_id,
      count(*) as calls,
      countif(r.status_code >= 400) as errors,
      countif(r.status_code >= 400) / count(*) as error_rate,
      approx_quantiles(m.execution_time_ms, 100)[offset(95)] as p95
    from function_edge_logs as t
      left join unnest(t.metadata) as m
      left join unnest(m.response) as r
    where m.project_ref = @project
      and t.timestamp >= timestamp_sub(current_timestamp(), interval if(@window = '7day', 7, 1) day)
    group by function_id
    order by p95 desc nulls last, function_id
    limit 20
  `,
  plan({ project, window }, nowUs) {
    return scan('function_edge_logs', { fromUs: nowUs - WINDOWS_US[window], throughUs: Number.POSITIVE_INFINITY })
      .filter(equals('project', project))
      .group('function_id')
      .aggregate({
        calls: count(),
        errors: countWhere(atLeast('status_code', 400)),
        error_rate: share(atLeast('status_code', 400)),
        p95: quantile('execution_time_ms', 95),
      })
      .orderBy('p95', 'desc')
      .limit(20)
  },
})
