import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { DAY_US } from '../../../src/base/units.js'
import { viewDefinition } from '../../../src/views/definition/definition.js'

/** The error of a view text, whose keep is at line 1, column 10. */
function faultOf(text: string, keepUs = 90 * DAY_US): string | undefined {
  try {
    viewDefinition(text, { name: 'v', keepUs, place: { line: 1, column: 10 } })
    return undefined
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    return error.message
  }
}

const HOUR = 'timestamp_trunc(timestamp, hour)'
/** A view with an expression as a key. */
const byKey = (key: string) => `select ${HOUR} as hour, count(*) as n\nfrom edge_logs\ngroup by hour, ${key}`
/** A view with an expression as an aggregate. */
const of = (aggregate: string) => `select ${HOUR} as hour,\n  ${aggregate} as x\nfrom edge_logs\ngroup by hour`
/** A view with a condition. */
const where = (condition: string) =>
  `select ${HOUR} as hour, count(*) as n\nfrom edge_logs\nwhere ${condition}\ngroup by hour`
const stops = (name: string, instead: string) => `${name} can fail in a row, and would stop the view: ${instead}`
const form = (fault: string) =>
  `GROUP BY has exactly one timestamp_trunc(timestamp, unit), with minute, hour or day: ${fault}`
const now = (name: string) =>
  `${name} changes, and a view groups each row once: take the condition away, and read the view with start and end`
const parameter = (name: string) =>
  `a view has no parameters, such as @${name}: write the value, or make the column a key, and compare it when the ` +
  'view is read'
const unmerged = (call: string, instead: string) => `${call} does not merge with what a view has kept: ${instead}`
const NUMBER = 'read the number with safe_cast(x as float64)'
const TIME = 'read the time with safe_cast(x as timestamp)'
const CONDITION = 'compare the value with something, or write value is true'
const LIST = "read an element of the list directly: split(text, ',')[safe_offset(0)]"
const NO_GROUP_BY = 'the query has no GROUP BY: a view has GROUP BY timestamp_trunc(timestamp, hour), and other keys'
const SUBQUERY =
  "IN (select …) reads rows that may be gone when the view is read: write the values, as path in ('/a', '/b')"
const DISTINCT = 'DISTINCT is a second grouping: name the columns in GROUP BY'
const VIEW = 'a view of a view is not covered: name the source'
const LIMIT = 'LIMIT below the grouping would depend on the order of rows: write it behind GROUP BY'

/** Texts that no view has, each with the message and the place. */
const REFUSED: readonly (readonly [text: string, message: string, line: number, column: number])[] = [
  ['select * from edge_logs', NO_GROUP_BY, 1, 15],
  ['select count(*) as n from edge_logs', NO_GROUP_BY, 1, 1],
  [`select ${HOUR} as hour, count(*) as n`, NO_GROUP_BY, 1, 1],
  ['select request.path, count(*) as n\nfrom edge_logs\ngroup by\n  path', form('there is none'), 4, 3],
  [
    `select ${HOUR} as hour, count(*) as n\nfrom edge_logs\ngroup by hour, timestamp_trunc(timestamp, day)`,
    form('this is a second one'),
    3,
    16,
  ],
  ['select count(*) as n from edge_logs group by timestamp_trunc(timestamp, week)', form('not week'), 1, 46],
  ['select count(*) as n from edge_logs group by timestamp_trunc(timestamp, second)', form('not second'), 1, 46],
  ['select count(*) as n from edge_logs group by date(timestamp)', form('there is none'), 1, 46],
  [
    "select count(*) as n from edge_logs group by timestamp_trunc(timestamp, hour, 'Europe/Berlin')",
    'Time zones other than UTC are not covered.',
    1,
    79,
  ],
  [
    'select count(*) as n from edge_logs group by timestamp_trunc(safe_cast(metadata.at as timestamp), hour)',
    form('there is none'),
    1,
    46,
  ],
  [`explain ${of('count(*)')}`, 'a view cannot be EXPLAIN: delete the word', 1, 9],
  [of('count(distinct request.path)'), unmerged('count(distinct x)', 'write approx_count_distinct(x)'), 2, 3],
  [of('array_agg(request.path limit 3)'), unmerged('array_agg', 'make x a key of GROUP BY'), 2, 3],
  [of("string_agg(request.path, ',')"), unmerged('string_agg', 'make x a key of GROUP BY'), 2, 3],
  [of('any_value(request.path)'), unmerged('any_value', 'write min(x)'), 2, 3],
  [
    `${of('count(*)')}\nhaving count(distinct request.path) > 3`,
    unmerged('count(distinct x)', 'write approx_count_distinct(x)'),
    5,
    8,
  ],
  [`${of('count(*)')}\norder by any_value(request.path)`, unmerged('any_value', 'write min(x)'), 5, 10],
  [where('timestamp >= timestamp_sub(current_timestamp(), interval 1 day)'), now('current_timestamp'), 3, 34],
  [where('timestamp < current_timestamp'), now('current_timestamp'), 3, 19],
  [of('countif(timestamp > timestamp(current_date()))'), now('current_date'), 2, 33],
  [byKey('if(timestamp < current_timestamp(), 1, 2)'), now('current_timestamp'), 3, 31],
  [
    `select ${HOUR} as hour, date_diff(current_date(), date(timestamp), day) as age, count(*) as n\n` +
      'from edge_logs group by 1, 2',
    now('current_date'),
    1,
    60,
  ],
  [where('request.path = @path'), parameter('path'), 3, 22],
  [`${of('count(*)')} limit @most`, parameter('most'), 4, 21],
  [`${of('count(*)')} limit 1 offset @first`, parameter('first'), 4, 30],
  [`${of('count(*)')} having x > @least`, parameter('least'), 4, 26],
  [where("request.path in (select request.path from edge_logs where request.method = 'GET')"), SUBQUERY, 3, 7],
  [`${of('count(*)')} having x in (select 1)`, SUBQUERY, 4, 22],
  [byKey('cast(response.status_code as int64)'), stops('cast', 'write safe_cast(x as int64)'), 3, 16],
  [byKey('response.status_code::float64'), stops('cast', 'write safe_cast(x as float64)'), 3, 16],
  [byKey('timestamp(request.at)'), stops('cast', 'write safe_cast(x as timestamp)'), 3, 16],
  [of('sum(a + b)'), stops('+', 'aggregate each part, and compute with the aggregates: sum(a) + sum(b)'), 2, 7],
  [of('sum(a - b)'), stops('-', 'aggregate each part, and compute with the aggregates: sum(a) - sum(b)'), 2, 7],
  [of('sum(a * b)'), stops('*', 'compute with the aggregates: 60 * sum(a)'), 2, 7],
  [of('avg(a / b)'), stops('/', 'write safe_divide(a, b)'), 2, 7],
  [byKey('mod(a, 10)'), stops('mod', 'compute with the aggregates, or with safe_divide and floor'), 3, 16],
  [of('sum(safe_divide(a, b))'), stops('safe_divide', NUMBER), 2, 7],
  [byKey('-a'), stops('-', NUMBER), 3, 16],
  [byKey('abs(a)'), stops('abs', NUMBER), 3, 16],
  [byKey('round(a)'), stops('round', NUMBER), 3, 16],
  [byKey('round(safe_cast(a as float64), b)'), stops('round', 'write the digits as a number from 0'), 3, 16],
  [byKey('floor(a)'), stops('floor', NUMBER), 3, 16],
  [byKey('ceil(a)'), stops('ceil', NUMBER), 3, 16],
  [byKey('upper(request.path)'), stops('upper', 'write lower(text)'), 3, 16],
  [
    byKey("concat(request.method, ' ', request.path)"),
    stops('concat', 'group by each text, or bound each text: substr(text, 1, 1000)'),
    3,
    16,
  ],
  [
    byKey("request.method || ' ' || request.path"),
    stops('concat', 'group by each text, or bound each text: substr(text, 1, 1000)'),
    3,
    16,
  ],
  [
    byKey("replace(request.path, 'a', 'bc')"),
    stops('replace', 'read the beginning of the text: replace(substr(text, 1, 1000), part, by)'),
    3,
    16,
  ],
  [byKey('substr(request.path, 1, a)'), stops('substr', 'write both places as numbers: substr(text, 1, 100)'), 3, 16],
  [byKey("split(request.path, '/')[offset(1)]"), stops('offset', 'write safe_offset(k)'), 3, 16],
  [byKey("split(request.path, '/')"), stops('split', LIST), 3, 16],
  [of("max(length(split(request.path, '/')))"), stops('length', LIST), 2, 7],
  [
    byKey("regexp_extract(request.path, '^/([^/]+)')"),
    stops('regexp_extract', 'search in the beginning of the text: substr(text, 1, 367)'),
    3,
    16,
  ],
  [
    where("regexp_contains(event_message, 'error|fail')"),
    stops('regexp_contains', 'search in the beginning of the text: substr(text, 1, 568)'),
    3,
    7,
  ],
  [
    where("event_message like '%error%'"),
    stops('LIKE', 'search in the beginning of the text: substr(text, 1, 195)'),
    3,
    7,
  ],
  [
    where("event_message not ilike '%error%'"),
    stops('ILIKE', 'search in the beginning of the text: substr(text, 1, 195)'),
    3,
    7,
  ],
  [
    byKey("regexp_replace(request.path, r'\\d+', ':id')"),
    stops(
      'regexp_replace',
      'write regexp_extract(substr(text, 1, 100), pattern), or replace(substr(text, 1, 100), part, by)',
    ),
    3,
    16,
  ],
  [
    byKey('timestamp_add(timestamp, interval 1 hour)'),
    stops('adding an interval', 'move the time where the view is read: timestamp_add(key, interval 1 hour) in SELECT'),
    3,
    16,
  ],
  [byKey('timestamp_diff(timestamp, request.at, second)'), stops('a difference of times', TIME), 3, 16],
  [byKey('extract(hour from request.at)'), stops('extract', TIME), 3, 16],
  [byKey("format_timestamp('%H', request.at)"), stops('format_timestamp', TIME), 3, 16],
  [byKey("parse_timestamp('%Y', request.at)"), stops('parse_timestamp', 'write safe_cast(text as timestamp)'), 3, 16],
  [byKey('unix_seconds(request.at)'), stops('unix_seconds', TIME), 3, 16],
  [byKey('timestamp_millis(request.at)'), stops('timestamp_millis', 'write safe_cast(n as timestamp)'), 3, 16],
  [
    byKey('timestamp_trunc(safe_cast(request.at as timestamp), week)'),
    stops('timestamp_trunc', 'use another unit than week'),
    3,
    16,
  ],
  [byKey('to_json_string(request)'), stops('to_json_string', 'write cast(x as string)'), 3, 16],
  [byKey("json_object('a', request.path)"), stops('json_object', 'name each value as a column'), 3, 16],
  [where('request.cached'), stops('a condition', CONDITION), 3, 7],
  [where('not request.cached'), stops('a condition', CONDITION), 3, 11],
  [of('countif(request.cached or a = 1)'), stops('a condition', CONDITION), 2, 11],
  [byKey("if(request.cached, 'hit', 'miss')"), stops('a condition', CONDITION), 3, 19],
  [byKey("case when request.cached then 'hit' else 'miss' end"), stops('a condition', CONDITION), 3, 26],
  [`select distinct ${HOUR} as hour from edge_logs`, DISTINCT, 1, 1],
  [
    `select hour, count(*) as n from (select distinct ${HOUR} as hour, request.path from edge_logs) group by hour`,
    DISTINCT,
    1,
    34,
  ],
  [
    `select hour, sum(n) as n from (${of('count(*)').replace('as x', 'as n')}) group by hour`,
    'a view has one grouping: take the inner aggregates and GROUP BY away, or make a view of them alone',
    1,
    32,
  ],
  [`select max(n) as n from (${of('count(*)').replace('as x', 'as n')})`, NO_GROUP_BY, 1, 1],
  [
    `${of('count(*)')}\nunion all\n${of('count(*)')}`,
    'UNION ALL of groups is not covered: write GROUP BY around it, as in from (select … union all select …) group by …',
    6,
    1,
  ],
  [
    `select ${HOUR} as hour, count(*) as n from edge_logs cross join unnest(metadata.items) as item group by hour`,
    'UNNEST makes several rows of one: name the field by its path, as request.path',
    1,
    79,
  ],
  [
    `select ${HOUR} as hour, count(*) as n from (select timestamp from edge_logs limit 10) group by hour`,
    LIMIT,
    1,
    108,
  ],
  [
    `select ${HOUR} as hour, count(*) as n\nfrom (\n  select timestamp from edge_logs order by timestamp\n) ` +
      'group by hour',
    'ORDER BY below the grouping has no effect: write it behind GROUP BY',
    3,
    44,
  ],
  [
    'with a as (select timestamp, current_timestamp() as now from edge_logs)\n' +
      `select ${HOUR} as hour, count(*) as n from a group by hour`,
    now('current_timestamp'),
    1,
    30,
  ],
  [
    `select ${HOUR} as hour, count(*) as n from (select timestamp from edge_logs union all ` +
      'select timestamp from (select timestamp from auth_logs limit 1)) group by hour',
    LIMIT,
    1,
    173,
  ],
  [
    `select hour, count(*) as n from (select ${HOUR} as hour from edge_logs union all ` +
      'select timestamp_trunc(timestamp, day) from auth_logs) group by hour',
    'the parts of UNION ALL have buckets of different units: truncate behind UNION ALL',
    1,
    171,
  ],
  ['select sum(requests) as n from view.`edge.requests` group by timestamp_trunc(hour, day)', VIEW, 1, 32],
  ['select hour, requests from view.`edge.requests`', VIEW, 1, 28],
  [
    `select ${HOUR} as hour, request.project, count(*) as n from edge_logs group by hour, request.project`,
    'the column project of a view is the stored project: give this one another name with AS',
    1,
    50,
  ],
  [
    `select ${HOUR} as hour, count(*) as n from nowhere group by hour`,
    'There is no source nowhere. There are: edge_logs, postgres_logs, function_edge_logs, function_logs, auth_logs, ' +
      'realtime_logs, storage_logs, postgrest_logs, pgbouncer_logs.',
    1,
    69,
  ],
  [
    `select ${HOUR} as hour, count(*) as n from edge_logs group by hour having nothing(n)`,
    'There is no function nothing.',
    1,
    100,
  ],
  [
    `select ${HOUR} as hour, count(*) as n frm edge_logs group by hour`,
    'Expected the end of the text, found frm.',
    1,
    64,
  ],
]

describe('texts that are no views', () => {
  it.each(REFUSED)('%s', (text, message, line, column) => {
    expect(faultOf(text)).toBe(`${message} (line ${line}, column ${column})`)
  })

  it('are those of short buckets that are kept for long', () => {
    const minutes = 'select count(*) as n from edge_logs group by timestamp_trunc(timestamp, minute)'
    expect(faultOf(minutes, 93 * DAY_US)).toBeUndefined()
    expect(faultOf(minutes, 93 * DAY_US + 1)).toBe(
      'buckets of a minute are kept for at most 93d: write a shorter time, or timestamp_trunc(timestamp, hour) ' +
        '(line 1, column 10)',
    )
  })
})
