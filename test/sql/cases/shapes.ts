import { query, type SqlCase } from './case.js'
import { recordOf, time } from './records.js'

const JOINS = `cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response`

const e4 = {
  id: 'e4',
  timestamp: time('10:01:20.123456'),
  event_message: 'GET | 500 | /rest/v1/users',
  status_code: 500,
  method: 'GET',
  path: '/rest/v1/users',
}
const e5 = {
  ...e4,
  id: 'e5',
  timestamp: time('10:02:00'),
  event_message: 'GET | 503 | /storage/v1/cat.png',
  status_code: 503,
  path: '/storage/v1/cat.png',
}

const WITHOUT_LISTS = [
  recordOf('postgres_logs', { id: '1', project: 'shapes', event_message: 'a', metadata: { parsed: { query: null } } }),
  recordOf('postgres_logs', { id: '2', project: 'shapes', event_message: 'b', metadata: { parsed: [] } }),
  recordOf('postgres_logs', { id: '3', project: 'shapes', event_message: 'c', metadata: { parsed: [{ query: 'q' }] } }),
]

const LEVELS = [
  'edge_logs',
  'postgres_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'postgrest_logs',
]

const countOf = (source: string) => `${source}_t as (select '${source}' as source, count(*) as n from ${source})`

/** Texts in the shapes that pages, scripts and people send. */
export const SHAPE_CASES: readonly SqlCase[] = [
  query(
    'the newest rows of a source with leaf fields behind three joins',
    `select id, edge_logs.timestamp, event_message, response.status_code, request.method, request.path
     from edge_logs
     ${JOINS}
     where (response.status_code >= 500 and response.status_code < 600)
     order by timestamp desc
     limit 100`,
    [e5, e4],
  ),
  query(
    'the same with a condition on the time and one join',
    `select id, timestamp, event_message, parsed.error_severity from postgres_logs as t
     cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed
     where t.timestamp > '2026-11-24T10:00:00Z' and t.timestamp <= '2026-11-24T10:03:00Z'
     order by t.timestamp desc limit 2`,
    [
      {
        id: 'p3',
        timestamp: time('10:03:00'),
        event_message: 'password authentication failed for user "it\'s"',
        error_severity: 'FATAL',
      },
      {
        id: 'p2',
        timestamp: time('10:00:10'),
        event_message: 'relation "carts" does not exist',
        error_severity: 'ERROR',
      },
    ],
  ),
  query('the number of rows with the same joins', `select count(*) as count from edge_logs ${JOINS}`, [{ count: 5 }]),
  query(
    'a chart of counts by severity',
    `-- chart
     select
       timestamp_trunc(t.timestamp, minute) as timestamp,
       count(case when response.status_code < 400 then 1 end) as ok_count,
       count(case when response.status_code >= 400 and response.status_code < 500 then 1 end) as warning_count,
       count(case when response.status_code >= 500 then 1 end) as error_count,
     from
       edge_logs t
       ${JOINS}
     where t.timestamp > '2026-11-24T09:00:00.000Z'
     group by
       timestamp
     order by
       timestamp asc
    ;
    `,
    [
      { timestamp: time('10:00:00'), ok_count: 2, warning_count: 0, error_count: 0 },
      { timestamp: time('10:01:00'), ok_count: 0, warning_count: 1, error_count: 1 },
      { timestamp: time('10:02:00'), ok_count: 0, warning_count: 0, error_count: 1 },
    ],
  ),
  query(
    'a chart of a source with levels',
    `select timestamp_trunc(t.timestamp, hour) as timestamp,
       count(case when parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC', 'WARNING') then 1 end) as ok_count,
       count(case when parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') then 1 end) as error_count,
       count(case when parsed.error_severity = 'WARNING' then 1 end) as warning_count,
     from postgres_logs t cross join unnest(t.metadata) as metadata cross join unnest(metadata.parsed) as parsed
     group by timestamp order by timestamp desc limit 2`,
    [
      { timestamp: time('10:00:00'), ok_count: 1, error_count: 2, warning_count: 0 },
      { timestamp: time('09:00:00'), ok_count: 1, error_count: 0, warning_count: 0 },
    ],
  ),
  query(
    'one row by its id with whole metadata',
    `select id, timestamp, event_message, metadata from edge_logs where id = 'e2' limit 1`,
    [
      {
        id: 'e2',
        timestamp: time('10:00:30.5'),
        event_message: 'POST | 201 | /rest/v1/orders',
        metadata: [
          {
            request: [{ method: 'POST', path: '/rest/v1/orders', headers: [{ user_agent: 'node' }] }],
            response: [{ status_code: 201, origin_time: 30 }],
          },
        ],
      },
    ],
  ),
  query(
    'one row by its id and its microseconds',
    'select id from edge_logs as t where t.id = "e4" and t.timestamp = 1795514480123456',
    [{ id: 'e4' }],
  ),
  query(
    'filters of all kinds',
    `select id from edge_logs as t ${JOINS}
     where regexp_contains(event_message, '\\|\\s5\\d{2}\\s\\|') and response.status_code between 500 and 599
       and request.method in ('GET','HEAD') and request.method not in ('POST') and request.path like '/rest/%'
       and ifnull(safe_cast(response.status_code as int64), 0) between 400 and 599
       and not (request.path like '%.png' or regexp_contains(request.path, r'^/auth/v\\d/'))`,
    [{ id: 'e4' }],
  ),
  query(
    'severities in a list',
    `select parsed.error_severity as s, count(*) as c from postgres_logs cross join unnest(metadata) as m
     cross join unnest(m.parsed) as parsed where parsed.error_severity in ('ERROR','FATAL') group by s order by s`,
    [
      { s: 'ERROR', c: 1 },
      { s: 'FATAL', c: 1 },
    ],
  ),
  query(
    'texts in double quotes, with quotes inside',
    `select id from postgres_logs where event_message = "relation ""carts"" does not exist"
       or metadata.parsed.user_name = 'it''s' or event_message like "%user \\"it's\\"%" order by id`,
    [{ id: 'p2' }, { id: 'p3' }],
  ),
  query(
    'a comment before the text and a semicolon behind it',
    '-- Errors of the hour\n\nselect\n  cast(timestamp as datetime) as timestamp,\n  event_message\nfrom auth_logs\n' +
      "where level = 'error'\norder by timestamp desc\nlimit 100;\n",
    [
      {
        timestamp: '2026-11-24T10:02:00',
        event_message: '{"duration":3400000,"status":400,"error":"grant"}',
      },
    ],
    {},
  ),
  query(
    'left joins keep rows without elements',
    `select id, p.query as query from postgres_logs left join unnest(metadata) as m on true
     left join unnest(m.parsed) as p on true order by id`,
    [
      { id: '1', query: null },
      { id: '2', query: null },
      { id: '3', query: 'q' },
    ],
    { records: WITHOUT_LISTS },
  ),
  query(
    'averages and percentiles of numbers in the message',
    `select count(*) as n, avg(cast(json_value(event_message, "$.duration") as int64)) / 1000000 as mean,
       approx_quantiles(cast(json_value(event_message, "$.duration") as int64), 100)[offset(95)] as p95,
       approx_quantiles(safe_cast(json_value(event_message, "$.duration") as float64), 100)[safe_offset(50)] as p50
     from auth_logs where json_value(event_message, "$.duration") is not null`,
    [{ n: 2, mean: 2.3, p95: 3400000, p50: 1200000 }],
  ),
  query(
    'the number of records of eight sources',
    `with ${LEVELS.map(countOf).join(', ')}
     select source, n from (${LEVELS.map((source) => `select * from ${source}_t`).join(' union all ')})
     order by n desc, source limit 3`,
    [
      { source: 'edge_logs', n: 6 },
      { source: 'postgres_logs', n: 4 },
      { source: 'auth_logs', n: 3 },
    ],
  ),
  query(
    'the newest rows of several sources',
    `with edge as (select id, t.timestamp, event_message from edge_logs t order by t.timestamp desc limit 2),
       auth as (select id, t.timestamp, event_message from auth_logs t order by t.timestamp desc limit 2)
     select id, timestamp from edge union all select id, timestamp from auth order by timestamp desc limit 2`,
    [
      { id: 'a3', timestamp: time('10:03:00') },
      { id: 'e6', timestamp: time('10:02:05') },
    ],
  ),
  query(
    'the last hour',
    `select id from function_edge_logs
     where timestamp > timestamp_sub(current_timestamp(), interval 1 hour) and timestamp <= current_timestamp()`,
    [{ id: 'f3' }],
  ),
  query(
    'groups by numbers',
    `select request.path, response.status_code, count(*) as c from edge_logs cross join unnest(metadata) as m
     cross join unnest(request) as request cross join unnest(response) as response
     group by 1, 2 order by 3 desc, 2 limit 2`,
    [
      { path: '/rest/v1/users', status_code: 200, c: 1 },
      { path: '/rest/v1/orders', status_code: 201, c: 1 },
    ],
  ),
  query(
    'a bare unnest of a field',
    `select method, count(*) as n from edge_logs, unnest(metadata), unnest(request) where method is not null
     group by method order by n desc`,
    [
      { method: 'GET', n: 4 },
      { method: 'POST', n: 1 },
    ],
  ),
  query(
    'a number of 16 digits next to the time',
    `select count(*) as n from edge_logs where timestamp >= 1795514480123456 and timestamp < 1795514520000001`,
    [{ n: 2 }],
  ),
  query(
    'invocations of functions',
    `select timestamp_trunc(timestamp, hour) as timestamp, function_id, count(*) as n,
       countif(response.status_code >= 500) as errors, round(avg(execution_time_ms), 2) as mean
     from function_edge_logs group by timestamp, function_id order by timestamp, function_id`,
    [
      { timestamp: time('10:00:00'), function_id: 'fn-a', n: 2, errors: 1, mean: 56.25 },
      { timestamp: time('11:00:00'), function_id: 'fn-b', n: 1, errors: 0, mean: 7 },
    ],
  ),
  query(
    'the most frequent user agents',
    `select h.user_agent as agent, count(*) as n from edge_logs cross join unnest(metadata) as m
     cross join unnest(m.request) as r cross join unnest(r.headers) as h where h.user_agent is not null
     group by agent having n >= 2 order by agent`,
    [
      { agent: 'curl/8.1', n: 2 },
      { agent: 'node', n: 2 },
    ],
  ),
]
