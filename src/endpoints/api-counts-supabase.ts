import { DAY_US, HOUR_US } from '../base/units.js'
import { equals, matches, scan } from '../plan/builder.js'
import { fn } from '../plan/calls.js'
import { AREAS_SQL, apiCounts, type CountsInterval, countAreas, INTERVALS, URL_PATTERN } from './api-counts.js'
import { endpoint, sql } from './endpoint.js'
import { type Param, word } from './params.js'

/** The intervals of Studio's charts are additional. */
const ALL_INTERVALS = {
  ...INTERVALS,
  '1hr': { windowUs: HOUR_US, bucket: 'minute' },
  '1day': { windowUs: DAY_US, bucket: 'hour' },
  '7day': { windowUs: 7 * DAY_US, bucket: 'day' },
} satisfies Record<string, CountsInterval>

/**
 * The parameter `project`: a pattern for URLs, and the name of a project. A caller bound to projects cannot send a
 * pattern.
 */
const PATTERN_AND_NAME: Param<{ pattern: string; name: string }> = {
  ...URL_PATTERN,
  description: `${URL_PATTERN.description}, or the project of a request without a URL`,
  read: (text, name) => ({ pattern: URL_PATTERN.read(text, name), name: text! }),
  readBound: (text, name) => ({ pattern: URL_PATTERN.readBound!(text, name), name: text! }),
}

/**
 * usage.api-counts for a self-hosted Supabase, where the gateway logs the path of a request but no URL.
 *
 * Gives   the rows of usage.api-counts. A request without a URL counts if the project of the request equals the
 *         parameter
 * Window  timestamp >= now - window, not truncated. If the interval is unknown: no rows
 * Empty   no request: no row. A bucket with requests to none of the four has four zeros
 * Cost    a single pass over the URLs and projects in the window
 */
export const apiCountsOfSupabase = endpoint({
  ...apiCounts,
  params: { project: PATTERN_AND_NAME, interval: word(ALL_INTERVALS, undefined) },
  query: sql`
    with requests as (
      select
        case @interval
          when 'minutely' then datetime_trunc(datetime(t.timestamp), minute)
          when '1hr' then datetime_trunc(datetime(t.timestamp), minute)
          when 'hourly' then datetime_trunc(datetime(t.timestamp), hour)
          when '1day' then datetime_trunc(datetime(t.timestamp), hour)
          when 'daily' then datetime_trunc(datetime(t.timestamp), day)
          when '7day' then datetime_trunc(datetime(t.timestamp), day)
        end as timestamp,
        request.path
      from \`edge_logs\` as t
        left join unnest(t.metadata) as m on true
        left join unnest(m.request) as request on true
      where (regexp_contains(request.url, @project) or (request.url is null and t.project = @project))
        and t.timestamp >= case @interval
          when 'minutely' then timestamp_sub(current_timestamp(), interval 60 minute)
          when '1hr' then timestamp_sub(current_timestamp(), interval 1 hour)
          when 'hourly' then timestamp_sub(current_timestamp(), interval 1 hour)
          when '1day' then timestamp_sub(current_timestamp(), interval 1 day)
          when 'daily' then timestamp_sub(current_timestamp(), interval 7 day)
          when '7day' then timestamp_sub(current_timestamp(), interval 7 day)
        end
    )
    ${AREAS_SQL}
  `,
  plan({ project, interval }, nowUs) {
    const { windowUs, bucket } = ALL_INTERVALS[interval ?? '1hr']
    const requests = scan('edge_logs', { fromUs: nowUs - windowUs, throughUs: Number.POSITIVE_INFINITY })
    const hasNoUrl = fn.and(equals('project', project.name), fn.is_null('url'))
    return countAreas(requests.filter(fn.or(matches('url', project.pattern), hasNoUrl)), bucket).limit(
      interval === undefined ? 0 : 1000,
    )
  },
})
