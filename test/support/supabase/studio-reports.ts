/** Queries of Studio's pages of reports and of the explorer's templates, as Studio sends the queries. */

const REQUEST = `cross join unnest(metadata) as m
          cross join unnest(m.response) as response
          cross join unnest(m.request) as request
          cross join unnest(request.headers) as headers`
const ROUTE = 'request.path, request.method, request.search, response.status_code'
const ROUTE_COLUMNS = `request.path as path, request.method as method, request.search as search,
          response.status_code as status_code, count(t.id) as count`
const HOUR = 'cast(timestamp_trunc(t.timestamp, hour) as datetime) as timestamp'
const BY_TIME = 'GROUP BY timestamp ORDER BY timestamp ASC'
const AUTH = `from edge_logs
    cross join unnest(metadata) as m
    cross join unnest(m.request) as request
    cross join unnest(m.response) as response`
const FUNCTION = `from function_edge_logs
  CROSS JOIN UNNEST(metadata) AS m
  CROSS JOIN UNNEST(m.request) AS request
  CROSS JOIN UNNEST(m.response) AS response
  CROSS JOIN UNNEST(response.headers) AS h`
const STORAGE = `from edge_logs f
  cross join unnest(f.metadata) as m
  cross join unnest(m.request) as r
  cross join unnest(m.response) as res
  cross join unnest(res.headers) as h
where starts_with(r.path, '/storage/v1/object') and r.method = 'GET'`
const MISSES = "h.cf_cache_status in ('MISS', 'NONE/UNKNOWN', 'EXPIRED', 'BYPASS', 'DYNAMIC')"

/** The API report, by part. Each part also has a query with a filter. */
export const API_REPORT = {
  requests: `--reports-api-total-requests
        select ${HOUR}, count(t.id) as count FROM edge_logs t ${REQUEST} ${BY_TIME}`,
  routes: `-- reports-api-top-routes
        select ${ROUTE_COLUMNS} from edge_logs t ${REQUEST} group by ${ROUTE} order by count desc limit 10`,
  errors: `select ${HOUR}, count(t.id) as count FROM edge_logs t ${REQUEST}
        WHERE response.status_code >= 400 AND REGEXP_CONTAINS(request.path, '/rest') ${BY_TIME}`,
  errorRoutes: `select ${ROUTE_COLUMNS} from edge_logs t ${REQUEST}
        where response.status_code >= 400 AND request.method = 'GET'
        group by ${ROUTE} order by count desc limit 10`,
  speed: `select ${HOUR}, avg(response.origin_time) as avg FROM edge_logs t ${REQUEST} ${BY_TIME}`,
  slowRoutes: `select ${ROUTE_COLUMNS}, avg(response.origin_time) as avg from edge_logs t ${REQUEST}
        group by ${ROUTE} order by avg desc limit 10`,
  traffic: `select ${HOUR},
          coalesce(safe_divide(sum(cast(coalesce(headers.content_length, "0") as int64)), 1000000), 0) as ingress_mb,
          coalesce(safe_divide(sum(cast(coalesce(resp_headers.content_length, "0") as int64)), 1000000), 0)
            as egress_mb,
        FROM edge_logs t ${REQUEST} cross join unnest(response.headers) as resp_headers ${BY_TIME}`,
}

/** Reports of other services, and the overviews of auth and of the REST API. */
export const OTHER_REPORTS = {
  cacheHits: `SELECT timestamp_trunc(timestamp, hour) as timestamp,
  countif( h.cf_cache_status in ('HIT', 'STALE', 'REVALIDATED', 'UPDATING') ) as hit_count,
  countif( ${MISSES} ) as miss_count
${STORAGE} group by timestamp order by timestamp desc`,
  cacheMisses: `SELECT r.path as path, r.search as search, count(id) as count
${STORAGE} and ${MISSES} group by path, search order by count desc limit 12`,
  authByStatus: `select timestamp_trunc(timestamp, minute) as timestamp, count(*) as count, response.status_code
  ${AUTH} cross join unnest(response.headers) as h
  where path like '%auth/v1%' and response.status_code >= 400 and response.status_code <= 599
  group by timestamp, status_code order by timestamp desc`,
  authTopErrors: `select request.method as method, request.path as path, response.status_code as status_code,
    count(*) as count
  ${AUTH} where path like '%auth/v1%' and response.status_code between 400 and 599
  group by method, path, status_code order by count desc limit 10`,
  authCodes: `select h.x_sb_error_code as error_code, count(*) as count
  ${AUTH} cross join unnest(response.headers) as h
  where path like '%auth/v1%' and response.status_code between 400 and 599 and h.x_sb_error_code is not null
  group by error_code order by count desc limit 10`,
  invocations: `--edgefn-report-invocations
select timestamp_trunc(timestamp, hour) as timestamp, function_id, count(*) as count ${FUNCTION}
  WHERE function_id IN ('a','b') AND response.status_code >= 200 AND m.execution_time_ms > 0
group by timestamp, function_id order by timestamp desc;`,
  invocationRegions: `select timestamp_trunc(timestamp, day) as timestamp, h.x_sb_edge_region as region,
  count(*) as count
from function_edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r
  cross join unnest(r.headers) as h
  WHERE h.x_sb_edge_region is not null group by timestamp, region order by timestamp desc`,
  invocationTimes: `select timestamp_trunc(timestamp, minute) as timestamp, function_id,
  avg(m.execution_time_ms) as avg_execution_time ${FUNCTION}
group by timestamp, function_id order by timestamp desc`,
  restOverview: `-- postgrest-overview-metrics
    select cast(timestamp_trunc(t.timestamp, minute) as datetime) as timestamp,
      countif(response.status_code < 300) as ok_count,
      countif(response.status_code >= 300 and response.status_code < 400) as warning_count,
      countif(response.status_code >= 400) as error_count
    FROM edge_logs t cross join unnest(metadata) as m cross join unnest(m.response) as response
      cross join unnest(m.request) as request
    WHERE request.path like '/rest/%' ${BY_TIME}`,
}

/** The templates of the logs explorer. */
export const TEMPLATES = {
  commits: `select p.user_name, count(*) as count from postgres_logs
  left join unnest(metadata) as m on true left join unnest(m.parsed) as p on true
where regexp_contains(event_message, 'COMMIT') group by p.user_name`,
  addresses: `select cast(timestamp as datetime) as timestamp, h.x_real_ip from edge_logs
  left join unnest(metadata) as m on true left join unnest(m.request) as r on true
  left join unnest(r.headers) as h on true where h.x_real_ip is not null`,
  countries: `select cf.country, count(*) as count from edge_logs
  left join unnest(metadata) as m on true left join unnest(m.request) as r on true
  left join unnest(r.cf) as cf on true group by cf.country order by count desc`,
  slow: `select cast(timestamp as datetime) as timestamp, event_message, r.origin_time from edge_logs
  cross join unnest(metadata) as m cross join unnest(m.response) as r
where r.origin_time > 1000 order by timestamp desc limit 100`,
  paths: `select r.path as path, r.search as params, count(timestamp) as c from edge_logs
  cross join unnest(metadata) as m cross join unnest(m.request) as r
group by path, params order by c desc limit 100`,
  rest: `select cast(timestamp as datetime) as timestamp, event_message from edge_logs
  cross join unnest(metadata) as m cross join unnest(m.request) as r
where path like '%rest/v1%' order by timestamp desc limit 100`,
  errors: `select cast(t.timestamp as datetime) as timestamp, p.error_severity, event_message from postgres_logs as t
  cross join unnest(metadata) as m cross join unnest(m.parsed) as p
where p.error_severity in ('ERROR', 'FATAL', 'PANIC') order by timestamp desc limit 100`,
  auth: `select t.timestamp, event_message from auth_logs as t
where regexp_contains(event_message,"level.{3}(info|warning||error|fatal)")
  -- and regexp_contains(event_message,"path.{3}(/token|/recover|/signup|/otp)")
limit 100`,
  objects: `select r.method as http_verb, r.path as filepath, count(*) as num_requests from edge_logs
  cross join unnest(metadata) as m cross join unnest(m.request) AS r cross join unnest(r.headers) AS h
where path like '%storage/v1/object/%' group by r.path, r.method order by num_requests desc limit 100`,
  egress: `select request.method as http_verb, request.path as filepath,
  (responseHeaders.cf_cache_status = 'HIT') as cached, count(*) as num_requests
from edge_logs
  cross join unnest(metadata) as metadata cross join unnest(metadata.request) as request
  cross join unnest(metadata.response) as response cross join unnest(response.headers) as responseHeaders
where (path like '%storage/v1/object/%' or path like '%storage/v1/render/%') and request.method = 'GET'
group by 1, 2, 3 order by num_requests desc limit 100;`,
}
