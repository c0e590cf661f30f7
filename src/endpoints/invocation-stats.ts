import { bucketEnd, truncate } from '../base/time/buckets.js'
import { DAY_US, HOUR_US, MINUTE_US } from '../base/units.js'
import {
  atLeast,
  type BucketUnit,
  count,
  countWhere,
  equals,
  max,
  mean,
  min,
  optional,
  quantile,
  scan,
} from '../plan/builder.js'
import type { Expression } from '../plan/expression.js'
import type { Plan } from '../plan/plan.js'
import { endpoint, sql } from './endpoint.js'
import { type ArgsOf, optionalText, text, word } from './params.js'

interface Interval {
  windowUs: number
  bucket: BucketUnit
}

const INTERVALS = {
  '5min': { windowUs: 5 * MINUTE_US, bucket: 'second' },
  '15min': { windowUs: 15 * MINUTE_US, bucket: 'minute' },
  '1hr': { windowUs: HOUR_US, bucket: 'minute' },
  '1day': { windowUs: DAY_US, bucket: 'hour' },
  '7day': { windowUs: 7 * DAY_US, bucket: 'day' },
} satisfies Record<string, Interval>

/** The parameters of functions.invocation-stats. */
export const INVOCATION_PARAMS = {
  project: text('the project whose functions are read'),
  function_id: optionalText('only this function'),
  interval: word(INTERVALS, '1day'),
}

/**
 * The start of the stored SQL: each record with the record's bucket and the first bucket of the window, without
 * conditions.
 */
export const BUCKETS_SQL = sql`
  select
    case @interval
      when '5min' then timestamp_trunc(t.timestamp, second)
      when '15min' then timestamp_trunc(t.timestamp, minute)
      when '1hr' then timestamp_trunc(t.timestamp, minute)
      when '7day' then timestamp_trunc(t.timestamp, day)
      else timestamp_trunc(t.timestamp, hour)
    end as timestamp,
    case @interval
      when '5min' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 5 minute), second)
      when '15min' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 15 minute), minute)
      when '1hr' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 hour), minute)
      when '7day' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 7 day), day)
      else timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour)
    end as first_bucket,
    m.execution_time_ms,
    r.status_code
  from \`function_edge_logs\` as t
    left join unnest(t.metadata) as m on true
    left join unnest(m.response) as r on true
`

/** The end of the stored SQL: the rows of the buckets of `invocations`. */
export const STATS_SQL = sql`
  select
    timestamp,
    min(execution_time_ms) as min_execution_time,
    max(execution_time_ms) as max_execution_time,
    avg(execution_time_ms) as avg_execution_time,
    approx_quantiles(execution_time_ms, 100)[offset(95)] as p95_execution_time,
    approx_quantiles(execution_time_ms, 100)[offset(99)] as p99_execution_time,
    count(*) as count,
    countif(status_code >= 400) as error_count
  from invocations
  where timestamp >= first_bucket and timestamp <= current_timestamp()
  group by timestamp
  order by timestamp asc
`

/** Returns the plan over the records for which `isInvocation` is true, or over all records if undefined. */
export function statsPlan(
  { project, function_id, interval }: ArgsOf<typeof INVOCATION_PARAMS>,
  nowUs: number,
  isInvocation?: Expression,
): Plan {
  const { windowUs, bucket } = INTERVALS[interval]
  return scan('function_edge_logs', {
    fromUs: truncate(nowUs - windowUs, bucket),
    throughUs: bucketEnd(nowUs, bucket),
  })
    .filter(equals('project', project), optional('function_id', function_id), isInvocation)
    .truncate('timestamp', bucket)
    .group('timestamp')
    .aggregate({
      min_execution_time: min('execution_time_ms'),
      max_execution_time: max('execution_time_ms'),
      avg_execution_time: mean('execution_time_ms'),
      p95_execution_time: quantile('execution_time_ms', 95),
      p99_execution_time: quantile('execution_time_ms', 99),
      count: count(),
      error_count: countWhere(atLeast('status_code', 400)),
    })
    .orderBy('timestamp')
    .limit(1000)
}

/**
 * functions.invocation-stats: how often and how long functions ran, per bucket of time.
 *
 * Gives   a row per bucket that has an invocation, oldest first: timestamp (µs UTC, start of the bucket), min, max,
 *         avg, p95 and p99 of the execution time (ms, null if no invocation has an execution time), count, error_count
 *         (status >= 400)
 * Window  from the bucket of (now - window) to the bucket of now, both included
 * Empty   no invocation: no row, never a zero row
 * Cost    a single pass over the project's rows in the segments that overlap the window. Memory grows with buckets
 */
export const invocationStats = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d02',
  name: 'functions.invocation-stats',
  summary: 'How often and how long functions ran, per time bucket',
  maxRows: 1000,
  cache: { ttlS: 900, warmS: 300 },
  params: INVOCATION_PARAMS,
  query: sql`
    with invocations as (
      ${BUCKETS_SQL}
      where t.project = @project
        and (@function_id is null or m.function_id = @function_id)
    )
    ${STATS_SQL}
  `,
  plan: (args, nowUs) => statsPlan(args, nowUs),
})
