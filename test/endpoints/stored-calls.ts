import { repeated } from '../../src/plan/functions/repeated.js'
import { RawJson, type Scalar } from '../../src/plan/values/values.js'
import type { PlainRow } from '../oracle/oracle.js'
import { below, oneOf, type Random } from '../support/random.js'
import { edge, invocation, type TestRecord } from '../support/records.js'

/** Calls of the stored queries, with parameters, and records for the calls. */

export const NOW_US = Date.UTC(2026, 10, 26, 10, 37, 42) * 1000 + 123_456
const MINUTE_US = 60_000_000
const AGES_US = [0, 1, 59e6, 5 * MINUTE_US, 15 * MINUTE_US, 60 * MINUTE_US, 1440 * MINUTE_US, 7 * 1440 * MINUTE_US]

/** The values of the parameters of each query. Null is an absent parameter. */
export const CALLS: readonly (readonly [string, Record<string, readonly (string | null)[]>])[] = [
  [
    'logs.all',
    {
      project: ['a', 'b'],
      project_tier: [null, 'FREE', 'PRO', 'PAYG', 'ENTERPRISE', 'gold'],
      iso_timestamp_start: [null, '2026-11-26T09:37:42.123456Z', '2026-11-20'],
      iso_timestamp_end: [null, '2026-11-26T10:37:42.123455Z'],
    },
  ],
  [
    'functions.invocation-stats',
    {
      project: ['a', 'b'],
      function_id: [null, 'f'],
      interval: [null, '5min', '15min', '1hr', '1day', '7day', '2day'],
    },
  ],
  [
    'usage.api-counts',
    { project: ['abc', '^https', 'b.co'], interval: [null, 'minutely', 'hourly', 'daily', 'weekly'] },
  ],
  [
    'supabase: functions.invocation-stats',
    { project: ['a'], function_id: [null, null, 'f'], interval: [null, '5min', '15min', '1hr', '1day', '7day'] },
  ],
  [
    'supabase: usage.api-counts',
    {
      project: ['a', 'b', '^https', 'a|b'],
      interval: [null, 'minutely', 'hourly', 'daily', '1hr', '1day', '7day', '5min'],
    },
  ],
]

/** A field with a random value, or no field. */
const field = (random: Random, name: string, values: readonly unknown[]) =>
  random() < 0.2 ? {} : { [name]: oneOf(random, values) }

const inList = (random: Random, object: object) => (random() < 0.5 ? object : [object])

/** A record at the edge of a window, with or without each field. */
export function randomRecord(random: Random, i: number): TestRecord {
  const timestampUs = NOW_US - oneOf(random, AGES_US) + below(random, 3) - 1
  const given = { id: `${i}`, timestampUs, project: oneOf(random, ['a', 'a', 'b', null]), event_message: 'm' }
  const path = oneOf(random, ['/rest/v1', '/auth/v1', '/storage/rest', '/realtime', '/'])
  const url = field(random, 'url', [`https://abc.co${path}`, 'http://b.co'])
  const request = { ...url, ...field(random, 'path', [path]) }
  const response = field(random, 'status_code', [200, 399, 400, 500])
  const timing = field(random, 'execution_time_ms', [1, 2.5, 100])
  const more = field(random, 'function_id', ['f', 'g', ''])
  if (random() < 0.5) {
    const requests = random() < 0.1 ? {} : { request: inList(random, request) }
    return edge({ ...given, metadata: inList(random, requests) })
  }
  if (random() < 0.3) return invocation({ ...given, metadata: inList(random, { project_ref: given.project }) })
  return invocation({ ...given, metadata: inList(random, { ...timing, ...more, response: inList(random, response) }) })
}

/** Metadata in the form of SQL answers. */
export const asAnswered = (row: PlainRow): PlainRow =>
  'metadata' in row
    ? { ...row, metadata: { json: (repeated(new RawJson((row.metadata as { json: string }).json)) as RawJson).text } }
    : row

/** Random parameters of a call: as values of the SQL, and as parameters of a request. */
export function randomParameters(random: Random, params: (typeof CALLS)[number][1]) {
  const given = Object.entries(params).map(([name, values]) => [name, oneOf(random, values)] as const)
  const texts = given.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]))
  return { values: Object.fromEntries<Scalar>(given), search: new URLSearchParams(texts) }
}
