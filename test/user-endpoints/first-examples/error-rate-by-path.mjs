// @ts-check
import { atLeast, count, DAY_US, endpoint, equals, scan, share, sql, text, word } from 'logweir/endpoint'

const WINDOWS_US = { '1day': DAY_US, '7day': 7 * DAY_US }

/**
 * edge.error-rate-by-path: which paths of a project fail the most.
 *
 * Gives   at most 100 rows, the worst first: url_path, requests, error_rate (the part with status >= 400, 0 to 1)
 * Window  the last day, or 7
 */
export default endpoint({
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a02',
  name: 'edge.error-rate-by-path',
  maxRows: 100,
  cache: { ttlS: 60, warmS: 30 },
  params: {
    project: text('the project whose requests are read'),
    window: word(WINDOWS_US, '1day'),
  },
  query: sql`
    select
      regexp_extract(request.url, r'^(?:[^?#]*?://)?[^/?#]*([^?#]*)') as url_path,
      count(*) as requests,
      countif(response.status_code >= 400) / count(*) as error_rate
    from edge_logs as t
      left join unnest(t.metadata) as m
      left join unnest(m.request) as request
      left join unnest(m.response) as response
    where t.project = @project
      and t.timestamp >= timestamp_sub(current_timestamp(), interval if(@window = '7day', 7, 1) day)
    group by url_path
    order by error_rate desc, url_path
    limit 100
  `,
  plan({ project, window }, nowUs) {
    return scan('edge_logs', { fromUs: nowUs - WINDOWS_US[window], throughUs: Number.POSITIVE_INFINITY })
      .filter(equals('project', project))
      .group('url_path')
      .aggregate({ requests: count(), error_rate: share(atLeast('status_code', 400)) })
      .orderBy('error_rate', 'desc')
      .limit(100)
  },
})
