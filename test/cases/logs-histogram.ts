import type { SourceName } from '../../src/common/sources.js'
import type { Params, PlainRow } from '../oracle/oracle.js'
import { edge, type TestRecord } from '../support/records.js'
import { at, type Case, upTo } from './case.js'

const NOW = '2026-11-20T10:37:42.500000Z'
const SECOND_US = 1_000_000
const DAY_US = 86_400 * SECOND_US
const nowUs = at(NOW)

const record = (
  source: SourceName,
  time: string,
  metadata: object = {},
  given: Partial<TestRecord> = {},
): TestRecord => ({
  ...edge({ timestampUs: at(time), metadata, ...given } as never),
  source,
})

const request = (time: string, status_code?: unknown) =>
  record('edge_logs', time, status_code === undefined ? {} : { response: { status_code } })

/** A row of an answer. */
type Bucket = readonly [time: string, name: string | null, count: number]

function histogram(
  name: string,
  records: readonly TestRecord[],
  params: Params,
  bucketS: number,
  rows: readonly Bucket[],
): Case {
  return {
    name: `logs.histogram: ${name}`,
    endpoint: 'logs.histogram',
    records,
    params: { project: 'a', source: 'edge_logs', ...params },
    nowUs,
    rows: rows.map(([time, name, count]): PlainRow => {
      return { timestamp: at(time), bucket_us: bucketS * SECOND_US, class: name, count }
    }),
  }
}

/** The row of each class in the minute of {@link TIME}. */
const only = (...classes: readonly (readonly [string | null, number])[]) =>
  classes.map(([name, count]): Bucket => ['2026-11-20T10:36:00Z', name, count])

const TIME = '2026-11-20T10:36:30Z'

const STATUSES = [
  histogram(
    'the class of a status is its hundreds',
    [101, 200, 204, 299, 300, 404, 499, 500, 599].map((status) => request(TIME, status)),
    {},
    60,
    only(['1xx', 1], ['2xx', 3], ['3xx', 1], ['4xx', 2], ['5xx', 2]),
  ),
  histogram(
    'a status that is none, or is absent, has no class',
    [0, 99, 600, -200, true, 'OK', '', { a: 1 }, null, undefined].map((status) => request(TIME, status)),
    {},
    60,
    only([null, 10]),
  ),
  histogram(
    'a text that spells a status has its class, and fractions have one',
    ['404', '200', 404.5, 499.9].map((status) => request(TIME, status)),
    {},
    60,
    only(['2xx', 1], ['4xx', 3]),
  ),
  histogram(
    'functions have the status of their response',
    [200, 500].map((status_code) => record('function_edge_logs', TIME, { response: [{ status_code }] })),
    { source: 'deno-relay-logs' },
    60,
    only(['2xx', 1], ['5xx', 1]),
  ),
]

const paths = (...all: readonly (string | undefined)[]) =>
  all.map((path) => record('edge_logs', TIME, { request: { path }, response: { status_code: 200 } }))

const SPLITS = [
  histogram(
    'by part it is the first step of the path',
    paths('/rest/v1/todos', '/rest', '/auth/v1/token', '/storage/v1', '/realtime/', '/functions/v1/f', '/graphql/v1'),
    { by: 'part' },
    60,
    only(['auth', 1], ['functions', 1], ['graphql', 1], ['realtime', 1], ['rest', 2], ['storage', 1]),
  ),
  histogram(
    'another path is no part',
    paths('/', '', undefined, '/restful', '/v1/rest', 'rest/v1', '/REST/v1', '//rest'),
    { by: 'part' },
    60,
    only([null, 8]),
  ),
  histogram(
    'by part other sources than edge_logs have no class',
    [record('function_edge_logs', TIME, { request: { path: '/rest/v1' } })],
    { source: 'function_edge_logs', by: 'part' },
    60,
    only([null, 1]),
  ),
  histogram('by nothing all rows of a bucket are one', paths('/rest/v1', '/'), { by: 'nothing' }, 60, only([null, 2])),
  histogram('by outcome is what it is without', paths('/rest/v1', '/'), { by: 'outcome' }, 60, only(['2xx', 2])),
]

const LEVELS = [
  histogram(
    'auth has a status, or else a level',
    [{ status: 200, level: 'error' }, { status: '429' }, { level: 'INFO' }, { status: 0, level: 'info' }, {}].map((m) =>
      record('auth_logs', TIME, m),
    ),
    { source: 'auth_logs' },
    60,
    only(['2xx', 1], ['4xx', 1], ['info', 2], [null, 1]),
  ),
  histogram(
    'the database has its severity in lower case',
    ['ERROR', 'error', 'LOG', '', 'FATAL', 17].map((error_severity) =>
      record('postgres_logs', TIME, { parsed: { error_severity } }),
    ),
    { source: 'postgres_logs' },
    60,
    only(['17', 1], ['error', 2], ['fatal', 1], ['log', 1], [null, 1]),
  ),
  ...(['function_logs', 'realtime_logs', 'storage_logs'] as const).map((source) =>
    histogram(
      `${source} has its level in lower case`,
      ['Warning', 'warning', true].map((level) => record(source, TIME, { level })),
      { source },
      60,
      only(['true', 1], ['warning', 2]),
    ),
  ),
  ...(['postgrest_logs', 'pgbouncer_logs'] as const).map((source) =>
    histogram(
      `${source} has no class`,
      [{ level: 'info' }, { status: 200 }].map((metadata) => record(source, TIME, metadata)),
      { source },
      60,
      only([null, 2]),
    ),
  ),
]

/** The length of a range in seconds, from a midnight on, and the width of the buckets in seconds. */
const WIDTHS = [
  [1, 1],
  [120, 1],
  [121, 2],
  [240, 2],
  [600, 5],
  [1_200, 10],
  [1_800, 15],
  [3_600, 30],
  [3_601, 60],
  [2 * 3_600, 60],
  [4 * 3_600, 120],
  [10 * 3_600, 300],
  [20 * 3_600, 600],
  [86_400, 900],
  [60 * 3_600, 1_800],
  [5 * 86_400, 3_600],
  [7 * 86_400, 7_200],
  [15 * 86_400, 3 * 3_600],
  [30 * 86_400, 6 * 3_600],
  [60 * 86_400, 12 * 3_600],
  [90 * 86_400, 86_400],
  [121 * 86_400, 2 * 86_400],
  [1_000 * 86_400, 16 * 86_400],
] as const

const iso = (us: number) => new Date(us / 1000).toISOString()
/** A multiple of all widths. */
const START_US = 20_480 * DAY_US

const RANGES = WIDTHS.map(([rangeS, bucketS]) =>
  histogram(
    `a range of ${rangeS} s has buckets of ${bucketS} s`,
    [edge({ timestampUs: START_US })],
    { start: iso(START_US), end: iso(START_US + rangeS * SECOND_US) },
    bucketS,
    [[iso(START_US), null, 1]],
  ),
)

const BOUNDS = [
  histogram(
    'the start is inside, the end is not',
    ['09:59:59.999999', '10:00:00', '10:00:59.999999', '10:01:00'].map((time) => request(`2026-11-20T${time}Z`)),
    { start: '2026-11-20T10:00:00Z', end: '2026-11-20T10:01:00Z' },
    1,
    [
      ['2026-11-20T10:00:00Z', null, 1],
      ['2026-11-20T10:00:59Z', null, 1],
    ],
  ),
  histogram(
    'without bounds it is the last hour, and the future',
    ['09:37:42.499999', '09:37:42.5', '10:37:42.5', '12:00:00'].map((time) => request(`2026-11-20T${time}Z`)),
    {},
    60,
    [
      ['2026-11-20T09:37:00Z', null, 1],
      ['2026-11-20T10:37:00Z', null, 1],
      ['2026-11-20T12:00:00Z', null, 1],
    ],
  ),
  histogram(
    'without a start it is the hour before the end',
    ['07:59:59.999999', '08:00:00', '08:59:59.999999', '09:00:00'].map((time) => request(`2026-11-20T${time}Z`)),
    { end: '2026-11-20T09:00:00Z' },
    30,
    [
      ['2026-11-20T08:00:00Z', null, 1],
      ['2026-11-20T08:59:30Z', null, 1],
    ],
  ),
  histogram('a start after the end leaves nothing', [request(TIME)], { start: NOW, end: TIME }, 1, []),
  histogram(
    'a start after now has the buckets of a moment',
    [request('2026-11-20T11:00:00Z')],
    {
      start: '2026-11-20T11:00:00Z',
    },
    1,
    [['2026-11-20T11:00:00Z', null, 1]],
  ),
  histogram(
    'other projects, sources and records without a project do not count',
    [
      record('edge_logs', TIME, {}, { project: 'b' }),
      record('edge_logs', TIME, {}, { project: null }),
      record('auth_logs', TIME),
      request(TIME),
    ],
    {},
    60,
    only([null, 1]),
  ),
]

const filter = (...conditions: readonly object[]) => JSON.stringify(conditions)

const FILTERS = [
  histogram(
    'a filter and a search leave out rows',
    [
      record('edge_logs', TIME, { response: { status_code: 500 } }, { event_message: 'GET | 500' }),
      record('edge_logs', TIME, { response: { status_code: 502 } }, { event_message: 'POST | 502' }),
      record('edge_logs', TIME, { response: { status_code: 200 } }, { event_message: 'GET | 200' }),
    ],
    { filter: filter({ field: 'response.status_code', op: '>=', value: 500 }), search: 'get' },
    60,
    only(['5xx', 1]),
  ),
  histogram(
    'an excluded value keeps rows without the field',
    ['GET', 'POST', undefined].map((method) => record('edge_logs', TIME, { request: { method } })),
    { filter: filter({ field: 'request.method', op: '!=', value: 'GET' }) },
    60,
    only([null, 2]),
  ),
  histogram(
    'many rows are counted in their buckets',
    upTo(900).map((i) => edge({ timestampUs: at('2026-11-20T10:00:00Z') + i * SECOND_US, project: i % 3 ? 'a' : 'b' })),
    {},
    60,
    upTo(15).map(
      (minute): Bucket => [`2026-11-20T10:${String(minute - 1).padStart(2, '0')}:00Z`, null, countIn(minute - 1)],
    ),
  ),
]

/** The numbers of seconds from 1 to 900 in a minute that 3 does not divide. */
function countIn(minute: number): number {
  return upTo(900).filter((i) => Math.floor(i / 60) === minute && i % 3 !== 0).length
}

export const LOGS_HISTOGRAM_CASES: readonly Case[] = [
  ...STATUSES,
  ...SPLITS,
  ...LEVELS,
  ...RANGES,
  ...BOUNDS,
  ...FILTERS,
]
