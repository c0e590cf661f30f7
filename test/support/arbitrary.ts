import fc from 'fast-check'
import type { Params } from '../oracle/oracle.js'
import { DIRECTIONS, FUNCTION_COLUMNS, URL_COLUMNS } from './groups.js'
import type { TestRecord } from './records.js'

/**
 * Random records and parameters: few distinct values, so that groups collide, and times close to the edges of every
 * window.
 */
const SECOND_US = 1_000_000
const HOUR_US = 3600 * SECOND_US
const DAY_US = 24 * HOUR_US
const WINDOWS_US = [0, 300 * SECOND_US, 900 * SECOND_US, HOUR_US, DAY_US, 7 * DAY_US, 90 * DAY_US]
const BUCKETS_US = [1, SECOND_US, 60 * SECOND_US, HOUR_US, DAY_US]

/** Values of now, some on the edge of a bucket. */
export const arbitraryNowUs = fc.constantFrom(
  Date.UTC(2026, 10, 20, 10, 37, 42, 500) * 1000 + 7,
  Date.UTC(2026, 10, 20, 10) * 1000,
  Date.UTC(2026, 10, 20) * 1000 - 1,
  Date.UTC(2024, 1, 29, 23, 59, 59) * 1000,
  Date.UTC(1970, 0, 2) * 1000,
)

const floorTo = (timestampUs: number, sizeUs: number) => Math.floor(timestampUs / sizeUs) * sizeUs

/** Times within a microsecond of the edges of windows and of their buckets, and times anywhere in between. */
function arbitraryTimestampUs(nowUs: number): fc.Arbitrary<number> {
  const edge = fc
    .tuple(
      fc.constantFrom(...WINDOWS_US),
      fc.constantFrom(...BUCKETS_US),
      fc.constantFrom(0, 1),
      fc.integer({ min: -1, max: 1 }),
    )
    .map(([windowUs, bucketUs, next, off]) => floorTo(nowUs - windowUs, bucketUs) + next * bucketUs + off)
  const within = (beforeUs: number, afterUs: number) => fc.integer({ min: nowUs - beforeUs, max: nowUs + afterUs })
  return fc.oneof(
    { weight: 3, arbitrary: edge },
    { weight: 3, arbitrary: within(3, 3) },
    { weight: 2, arbitrary: within(400 * SECOND_US, SECOND_US) },
    { weight: 2, arbitrary: within(8 * DAY_US, DAY_US) },
    { weight: 1, arbitrary: within(91 * DAY_US, DAY_US) },
  )
}

const PROJECTS = ['a', 'a', 'a', 'a', 'b', '__proto__', '', null]
const FUNCTIONS = ['"f"', '"f"', '"g"', '"constructor"', '""', 'null', '7']
const TIMES = ['1', '2', '3', '12.5', '0.1', '1e3', '123456.789', '0', '-1', '1e16', '-1e16', 'null', '"5"', '1e400']
const STATUSES = ['200', '399', '400', '400.5', '500', '"500"', 'null']
const URLS = ['https://a.co/x', 'https://b.co/x', 'https://ab.co', 'a', 'b', '', 'a\\nb', '\\u00e9', 'A']
const PATHS = ['/rest/v1', '/auth/v1', '/storage/v1/rest', '/realtime', '/', '']

const arbitraryTime = fc.oneof(
  fc.constantFrom(...TIMES),
  fc.integer({ min: 0, max: 5_000 }).map(String),
  fc.double({ min: 1e-9, max: 1e9, noNaN: true }).map(String),
)

/** A member of an object, or no member. */
const member = (key: string, value: fc.Arbitrary<string>) =>
  fc.option(value, { freq: 6, nil: undefined }).map((text) => (text === undefined ? [] : [`"${key}":${text}`]))

const object = (...members: fc.Arbitrary<string[]>[]) => fc.tuple(...members).map((all) => `{${all.flat().join(',')}}`)

/** The JSON text itself, or the first element of an array. */
const repeated = (json: fc.Arbitrary<string>) =>
  fc.tuple(json, fc.constantFrom(0, 0, 0, 1, 2)).map(([text, form]) => [text, `[${text}]`, `[${text},{}]`][form]!)

const quoted = (text: string) => `"${text}"`
const invocationMetadata = repeated(
  object(
    member('function_id', fc.constantFrom(...FUNCTIONS)),
    member('execution_time_ms', arbitraryTime),
    member('response', repeated(object(member('status_code', fc.constantFrom(...STATUSES))))),
  ),
)
const edgeMetadata = repeated(
  object(
    member('response', repeated(object(member('status_code', fc.constantFrom(...STATUSES))))),
    member(
      'request',
      repeated(
        object(
          member('url', fc.constantFrom(...URLS.map(quoted), 'null', '7')),
          member('path', fc.constantFrom(...PATHS.map(quoted), 'null', '7')),
        ),
      ),
    ),
  ),
)

function arbitraryRecord(source: TestRecord['source'], metadata: fc.Arbitrary<string>, nowUs: number) {
  return fc
    .tuple(arbitraryTimestampUs(nowUs), fc.constantFrom(...PROJECTS), metadata, fc.nat({ max: 999 }))
    .map(([timestampUs, project, json, n]): TestRecord => {
      return { source, id: `${n}`, timestampUs, project, event_message: `é${n}\0`, metadata: json }
    })
}

/** Records of the two sources that endpoints read, and of a source that no endpoint reads. */
export function arbitraryRecords(nowUs: number, maxLength: number): fc.Arbitrary<TestRecord[]> {
  const record = fc.oneof(
    { weight: 4, arbitrary: arbitraryRecord('edge_logs', edgeMetadata, nowUs) },
    { weight: 4, arbitrary: arbitraryRecord('function_edge_logs', invocationMetadata, nowUs) },
    { weight: 1, arbitrary: arbitraryRecord('postgrest_logs', edgeMetadata, nowUs) },
  )
  const few = fc.array(record, { maxLength, size: 'max' })
  const many = fc.array(record, { minLength: Math.ceil(maxLength / 2), maxLength, size: 'max' })
  return fc.oneof(few, { weight: 2, arbitrary: many })
}

const SEVERITIES = ['"ERROR"', '"ERROR"', '"FATAL"', '"LOG"', '"PANIC"', '""', 'null', '7', '{}']
const STATE_CODES = ['"23505"', '23505', '"42P01"', '"é"', '""', 'null', 'true']
const USERS = ['"a"', '"b"', '""', 'null', '1', '1.0']
const databaseMetadata = repeated(
  object(
    member(
      'parsed',
      repeated(
        object(
          member('error_severity', fc.constantFrom(...SEVERITIES)),
          member('sql_state_code', fc.constantFrom(...STATE_CODES)),
          member('user_name', fc.constantFrom(...USERS)),
        ),
      ),
    ),
  ),
)

/** Records of the database. */
export const arbitraryDatabaseRecords = (nowUs: number, maxLength: number): fc.Arbitrary<TestRecord[]> =>
  fc.array(arbitraryRecord('postgres_logs', databaseMetadata, nowUs), { maxLength, size: 'max' })

export interface Question {
  endpoint: string
  params: Params
}

function iso(timestampUs: number): string {
  const milliseconds = new Date(Math.floor(timestampUs / 1000)).toISOString().slice(0, -1)
  return `${milliseconds}${String(((timestampUs % 1000) + 1000) % 1000).padStart(3, '0')}Z`
}

const mostly = (value: string, others: readonly string[]) => fc.oneof(fc.constant(value), fc.constantFrom(...others))

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const withoutUndefined = (given: Record<string, string | undefined>): Params =>
  Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined))

type ArbitraryParams = fc.Arbitrary<Record<string, string | undefined>>

const ask = (endpoint: string, params: ArbitraryParams): fc.Arbitrary<Question> =>
  params.map((given) => ({ endpoint, params: withoutUndefined(given) }))

const PROJECT = mostly('a', ['b', '__proto__', 'nobody'])

const STATS: ArbitraryParams = fc.record({
  project: PROJECT,
  function_id: maybe(mostly('f', ['g', 'constructor', '', 'nobody'])),
  interval: maybe(fc.constantFrom('5min', '15min', '1hr', '1day', '7day', '', '__proto__')),
})

const COUNTED = ['a', 'b', '://a', 'a.co', '^a', 'b$', 'a.b', '(?s)a.b', '^$', 'é', '[^a]', '(?i)A', 'a|b', '.']

const countsWith = (interval: fc.Arbitrary<string>): ArbitraryParams =>
  fc.record({ project: fc.constantFrom(...COUNTED), interval })

const COUNTS = countsWith(mostly('daily', ['minutely', 'minutely', 'hourly', 'hourly', 'x', '']))

const SUPABASE_COUNTS = countsWith(fc.constantFrom('1hr', '1day', '7day', '7day', 'minutely', 'hourly', 'daily', 'x'))

/** A call of an endpoint that `--supabase` changes. */
const arbitrarySupabaseQuestion = fc.oneof(
  ask('supabase: functions.invocation-stats', STATS),
  ask('supabase: usage.api-counts', SUPABASE_COUNTS),
)

/** Conditions on columns, which every source has, and on fields that have a column of their own. */
const ON_COLUMNS: readonly object[] = [
  { field: 'event_message', op: 'contains', value: 'É1' },
  { field: 'id', op: '!=', value: '7' },
  { field: 'id', op: 'matches', value: '^[1-4]' },
]
const STATUS_CONDITIONS: readonly object[] = [
  { field: 'response.status_code', op: '>=', value: 400 },
  { field: 'response.status_code', op: '!=', value: 500 },
  { field: 'metadata.response.status_code', op: 'in', value: [200, '399', null] },
  { field: ['response', 'status_code'], op: 'exists' },
]
const CONDITIONS: Record<string, readonly object[]> = {
  edge_logs: [
    ...STATUS_CONDITIONS,
    { field: 'request.path', op: 'missing' },
    { field: 'request.path', op: 'not_in', value: ['/', '/auth/v1'] },
    { field: 'request.url', op: 'matches', value: 'b' },
  ],
  'deno-relay-logs': [...STATUS_CONDITIONS, { field: 'function_id', op: 'not_in', value: ['f', 'x'] }],
  postgrest_logs: [],
}

/** Fields that may have numbers, all with a column: no older ClickHouse reads others. */
const MEASURED: Record<string, readonly string[]> = {
  edge_logs: ['response.status_code', 'request.method'],
  'deno-relay-logs': ['execution_time_ms', 'response.status_code'],
  postgrest_logs: [],
}

/** A call of the log explorer: parameters of all endpoints, of a single source. */
const exploring = (source: string, time: fc.Arbitrary<string | undefined>): ArbitraryParams =>
  fc.record({
    project: PROJECT,
    source: fc.constant(source),
    start: time,
    end: time,
    filter: maybe(
      fc
        .array(fc.constantFrom(...ON_COLUMNS, ...CONDITIONS[source]!), { maxLength: 2 })
        .map((all) => JSON.stringify(all)),
    ),
    search: maybe(fc.constantFrom('', 'É', '2')),
  })

/** The same with a request for the values of a field. */
const valuesOf = (explored: ArbitraryParams, fields: readonly string[]): ArbitraryParams =>
  fc.tuple(explored, maybe(fc.constantFrom('', ...fields))).map(([given, field]) => ({ ...given, field }))

/** The same with a way to split rows. */
const split = (explored: ArbitraryParams): ArbitraryParams =>
  fc.tuple(explored, maybe(fc.constantFrom('', 'outcome', 'part', 'nothing'))).map(([given, by]) => ({ ...given, by }))

/** The same with a field to measure. */
const measuring = (explored: ArbitraryParams, fields: readonly string[]): ArbitraryParams =>
  fc.tuple(explored, fc.constantFrom('id', ...fields)).map(([given, field]) => ({ ...given, field }))

/** The same with a limit and a cursor. */
const pages = (explored: ArbitraryParams, timestampUs: fc.Arbitrary<number>): ArbitraryParams => {
  const rank = fc.oneof(fc.nat(3), fc.constantFrom(50, 9_999_999_999))
  const cursor = maybe(fc.tuple(timestampUs, rank).map((pair) => pair.join('.')))
  const limit = maybe(fc.constantFrom('1', '2', '5', '1000'))
  return fc.tuple(explored, limit, cursor, fc.constantFrom('before', 'after')).map(([given, rows, at, name]) => {
    return { ...given, limit: rows, [name]: at }
  })
}

/** A call of any endpoint, with valid parameters. */
export function arbitraryQuestion(nowUs: number): fc.Arbitrary<Question> {
  const time = maybe(fc.oneof(fc.constant(''), arbitraryTimestampUs(nowUs).map(iso)))
  const fieldsOf = {
    edge_logs: ['request.path', 'response.status_code'],
    'deno-relay-logs': ['id'],
    postgrest_logs: [],
  }
  const explored = Object.entries(fieldsOf).flatMap(([source, fields]) => [
    ask('logs.histogram', split(exploring(source, time))),
    ask('logs.measure', measuring(exploring(source, time), MEASURED[source]!)),
    ask('logs.explore', pages(exploring(source, time), arbitraryTimestampUs(nowUs))),
    ask('logs.fields', valuesOf(exploring(source, time), fields)),
  ])
  const logsAll = fc.record({
    project: PROJECT,
    project_tier: maybe(fc.constantFrom('FREE', 'PRO', 'PAYG', 'ENTERPRISE', '', 'x')),
    iso_timestamp_start: time,
    iso_timestamp_end: time,
  })
  const others = [ask('functions.invocation-stats', STATS), ask('usage.api-counts', COUNTS)]
  return fc.oneof(ask('logs.all', logsAll), ...others, fc.oneof(...explored))
}

/**
 * The same, a call of an endpoint that `--supabase` changes, or a query that groups rows by a text. Rows are never
 * ordered by a mean: if two means differ in their last bits, either row may be first.
 */
export function arbitraryQuestionOfAny(nowUs: number): fc.Arbitrary<Question> {
  const group = (endpoint: string, columns: Record<string, string>) =>
    fc.record({
      endpoint: fc.constant(endpoint),
      params: fc.record({
        project: PROJECT,
        order: fc.constantFrom(...Object.keys(columns).filter((name) => name !== 'avg_execution_time')),
        direction: fc.constantFrom(...Object.keys(DIRECTIONS)),
        limit: fc.constantFrom('1', '3', '1000'),
      }),
    })
  return fc.oneof(
    { weight: 3, arbitrary: arbitraryQuestion(nowUs) },
    { weight: 2, arbitrary: arbitrarySupabaseQuestion },
    { weight: 1, arbitrary: group('test.functions', FUNCTION_COLUMNS) },
    { weight: 1, arbitrary: group('test.urls', URL_COLUMNS) },
    { weight: 1, arbitrary: group('test.paths', { requests: '' }) },
  )
}
