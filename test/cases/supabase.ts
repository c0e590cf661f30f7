import type { Params, PlainRow } from '../oracle/oracle.js'
import { NINE_AND_OWN } from '../support/own-source.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { countsRow } from './api-counts.js'
import { at, type Case } from './case.js'

/** The endpoints as `--supabase` changes them, over records as the log router of a self-hosted Supabase sends them. */

const nowUs = at('2026-11-20T10:37:42.500000Z')

function supabaseCase(
  endpoint: string,
  name: string,
  records: readonly TestRecord[],
  params: Params,
  rows: readonly PlainRow[],
): Case {
  return {
    name: `${endpoint} of a self-hosted Supabase: ${name}`,
    endpoint: `supabase: ${endpoint}`,
    records,
    params: { project: 'default', ...params },
    nowUs,
    rows,
  }
}

const counts = (name: string, records: readonly TestRecord[], params: Params, rows: readonly PlainRow[]) =>
  supabaseCase('usage.api-counts', name, records, { interval: '1hr', ...params }, rows)

const NOW_ROW = '2026-11-20T10:37:00'

/** A request that the gateway logged: a path, and no URL. */
const gatewayAt = (timestampUs: number, path: unknown = '/rest/v1/todos', project: string | null = 'default') =>
  edge({
    timestampUs,
    project,
    metadata: { request: { method: 'GET', path, protocol: 'HTTP/1.1' }, response: { status_code: 200 } },
  })

/** Requests at the start of the window, a microsecond before the start, and now. */
const edges = (interval: string, first: string, rows: readonly PlainRow[]) =>
  counts(
    `the window of the interval "${interval}"`,
    [nowUs, at(first), at(first) - 1].map((moment) => gatewayAt(moment)),
    { interval },
    rows,
  )

const INTERVALS = [
  ...['1hr', 'minutely'].map((interval) =>
    edges(interval, '2026-11-20T09:37:42.500000Z', [
      countsRow('2026-11-20T09:37:00', [1, 0, 0, 0]),
      countsRow('2026-11-20T10:37:00', [1, 0, 0, 0]),
    ]),
  ),
  edges('hourly', '2026-11-20T09:37:42.500000Z', [
    countsRow('2026-11-20T09:00:00', [1, 0, 0, 0]),
    countsRow('2026-11-20T10:00:00', [1, 0, 0, 0]),
  ]),
  edges('1day', '2026-11-19T10:37:42.500000Z', [
    countsRow('2026-11-19T10:00:00', [1, 0, 0, 0]),
    countsRow('2026-11-20T10:00:00', [1, 0, 0, 0]),
  ]),
  ...['7day', 'daily'].map((interval) =>
    edges(interval, '2026-11-13T10:37:42.500000Z', [
      countsRow('2026-11-13T00:00:00', [1, 0, 0, 0]),
      countsRow('2026-11-20T00:00:00', [1, 0, 0, 0]),
    ]),
  ),
  ...['', '1HR', '5min', '15min', '3hr', '7days', '__proto__'].map((interval) =>
    edges(interval, '2026-11-20T09:37:42.500000Z', []),
  ),
]

const withoutUrl = [
  '{}',
  '[]',
  '{"request":null}',
  '{"request":"default"}',
  '{"request":{"url":null}}',
  '{"request":{"url":7}}',
  '{"request":{"url":["default"]}}',
  '{"url":"default"}',
].map((metadata) => edge({ timestampUs: nowUs, project: 'default', metadata }))

const withUrl = (url: string, project: string) =>
  edge({ timestampUs: nowUs, project, metadata: { request: { url, path: '/auth' } } })

const COUNTS = [
  ...INTERVALS,
  counts(
    'each area, by the path alone',
    ['/rest/v1/', '/auth/v1/token', '/storage/v1/object', '/realtime/v1/websocket', '/', null].map((path) =>
      gatewayAt(nowUs, path),
    ),
    {},
    [countsRow(NOW_ROW, [1, 1, 1, 1])],
  ),
  counts('any record without a URL', withoutUrl, {}, [countsRow(NOW_ROW, [0, 0, 0, 0])]),
  counts(
    'the project is equal, letter by letter, and no pattern',
    ['default', 'Default', 'defaults', 'a default', '', null].map((project) => gatewayAt(nowUs, '/rest', project)),
    {},
    [countsRow(NOW_ROW, [1, 0, 0, 0])],
  ),
  counts('a pattern is the name of no project', [gatewayAt(nowUs)], { project: 'd.*' }, []),
  counts(
    'a URL decides by the pattern, whatever the project',
    [
      withUrl('https://default.co', 'b'),
      withUrl('https://other.co', 'default'),
      withUrl('', 'default'),
      gatewayAt(nowUs, '/rest'),
    ],
    {},
    [countsRow(NOW_ROW, [1, 0, 1, 0])],
  ),
  counts(
    'rows of the source edge_logs alone',
    NINE_AND_OWN.map((source) => ({ ...gatewayAt(nowUs), source })),
    {},
    [countsRow(NOW_ROW, [1, 0, 0, 0])],
  ),
]

const stats = (name: string, metadata: readonly string[], params: Params, rows: readonly PlainRow[]) =>
  supabaseCase(
    'functions.invocation-stats',
    name,
    metadata.map((json) => invocation({ timestampUs: nowUs, project: 'default', metadata: json })),
    params,
    rows,
  )

/** The row of the hour of now. */
const statsRow = (count: number, errors: number, time: number | null): PlainRow => ({
  timestamp: at('2026-11-20T10:00:00Z'),
  min_execution_time: time,
  max_execution_time: time,
  avg_execution_time: time,
  p95_execution_time: time,
  p99_execution_time: time,
  count,
  error_count: errors,
})

const CONSOLE_LINES = [
  '{"project_ref":"default"}',
  '{}',
  '[]',
  '{"function_id":null,"execution_time_ms":null,"response":{"status_code":null}}',
  '{"function_id":""}',
  '{"function_id":7}',
  '{"execution_time_ms":"12"}',
  '{"execution_time_ms":1e400}',
  '{"response":500}',
  '{"response":{"status_code":"500"}}',
  '{"status_code":500,"event":"Boot"}',
]

const STATS = [
  stats('a console line is no invocation', CONSOLE_LINES, {}, []),
  stats('one of the three is enough', ['{"function_id":"f"}', '{"response":{"status_code":0}}'], {}, [
    statsRow(2, 0, null),
  ]),
  stats('an execution time is enough', ['{"execution_time_ms":0}', ...CONSOLE_LINES], {}, [statsRow(1, 0, 0)]),
  stats(
    'invocations among console lines',
    [
      ...CONSOLE_LINES,
      '[{"function_id":"f","execution_time_ms":12.5,"response":[{"status_code":500}]}]',
      '{"response":{"status_code":404}}',
    ],
    {},
    [statsRow(2, 2, 12.5)],
  ),
  stats(
    'one function',
    ['{"function_id":"f"}', '{"function_id":"g"}', '{"execution_time_ms":1}', ...CONSOLE_LINES],
    { function_id: 'f' },
    [statsRow(1, 0, null)],
  ),
]

export const SUPABASE_CASES: readonly Case[] = [...COUNTS, ...STATS]
