import { DAY_US, HOUR_US, MINUTE_US } from '../base/units.js'
import { type BucketUnit, contains, countWhere, matches, type Rows, type Sorted, scan } from '../plan/builder.js'
import { endpoint, sql } from './endpoint.js'
import { pattern, word } from './params.js'

/** How far back an interval reads, and the width of a bucket. */
export interface CountsInterval {
  windowUs: number
  bucket: BucketUnit
}

/** The values of the parameter `interval`. */
export const INTERVALS = {
  minutely: { windowUs: 60 * MINUTE_US, bucket: 'minute' },
  hourly: { windowUs: HOUR_US, bucket: 'hour' },
  daily: { windowUs: 7 * DAY_US, bucket: 'day' },
} satisfies Record<string, CountsInterval>

/** An RE2 pattern for the URLs that are counted. */
export const URL_PATTERN = pattern('an RE2 pattern that matches somewhere in the URL of the request')

/** The end of the stored SQL: the rows of the buckets of `requests`, which have `timestamp` and `path`. */
export const AREAS_SQL = sql`
  select
    timestamp,
    countif(coalesce(regexp_contains(path, '/rest'), false)) as total_rest_requests,
    countif(coalesce(regexp_contains(path, '/storage'), false)) as total_storage_requests,
    countif(coalesce(regexp_contains(path, '/auth'), false)) as total_auth_requests,
    countif(coalesce(regexp_contains(path, '/realtime'), false)) as total_realtime_requests
  from requests
  group by timestamp
  order by timestamp asc
`

/** The plan of {@link AREAS_SQL} over `requests`, rows of `edge_logs`. */
export function countAreas(requests: Rows<string>, bucket: BucketUnit): Sorted<string> {
  return requests
    .truncate('timestamp', bucket, 'datetime')
    .group('timestamp')
    .aggregate({
      total_rest_requests: countWhere(contains('path', '/rest')),
      total_storage_requests: countWhere(contains('path', '/storage')),
      total_auth_requests: countWhere(contains('path', '/auth')),
      total_realtime_requests: countWhere(contains('path', '/realtime')),
    })
    .orderBy('timestamp')
}

/**
 * usage.api-counts: how many requests each part of the platform served, per bucket of time.
 *
 * Gives   a row per bucket with a matching URL, oldest first: timestamp (`YYYY-MM-DDTHH:MM:SS` UTC), and the number of
 *         requests with /rest, /storage, /auth, /realtime in the path, counted separately, never null
 * Window  timestamp >= now - window, not truncated. If the interval is unknown: no rows
 * Empty   no request: no row. A bucket with requests to none of the four has four zeros
 * Cost    a single pass over the codes of the URLs in the window. The pattern is matched at most once per distinct URL
 */
export const apiCounts = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d03',
  name: 'usage.api-counts',
  summary: 'API requests by part of the platform, per time bucket',
  maxRows: 1000,
  cache: { ttlS: 900, warmS: 300 },
  params: {
    project: URL_PATTERN,
    interval: word(INTERVALS, undefined),
  },
  query: sql`
    with requests as (
      select
        case @interval
          when 'minutely' then datetime_trunc(datetime(t.timestamp), minute)
          when 'hourly' then datetime_trunc(datetime(t.timestamp), hour)
          when 'daily' then datetime_trunc(datetime(t.timestamp), day)
        end as timestamp,
        request.path
      from \`edge_logs\` as t
        cross join unnest(t.metadata) as m
        cross join unnest(m.request) as request
      where regexp_contains(request.url, @project)
        and t.timestamp >= case @interval
          when 'minutely' then timestamp_sub(current_timestamp(), interval 60 minute)
          when 'hourly' then timestamp_sub(current_timestamp(), interval 1 hour)
          when 'daily' then timestamp_sub(current_timestamp(), interval 7 day)
        end
    )
    ${AREAS_SQL}
  `,
  plan({ project, interval }, nowUs) {
    const { windowUs, bucket } = INTERVALS[interval ?? 'hourly']
    const requests = scan('edge_logs', { fromUs: nowUs - windowUs, throughUs: Number.POSITIVE_INFINITY })
    return countAreas(requests.filter(matches('url', project)), bucket).limit(interval === undefined ? 0 : 1000)
  },
})
