import type { Params, PlainRow } from '../oracle/oracle.js'
import { NINE_AND_OWN } from '../support/own-source.js'
import { invocation, type TestRecord } from '../support/records.js'
import { AWKWARD_NAMES, at, type Case, shown, upTo } from './case.js'

const nowUs = at('2026-11-20T10:37:42.500000Z')
const HOUR = at('2026-11-20T10:00:00Z')

function stats(name: string, records: readonly TestRecord[], params: Params, rows: readonly PlainRow[]): Case {
  return {
    name: `functions.invocation-stats: ${name}`,
    endpoint: 'functions.invocation-stats',
    records,
    params: { project: 'a', ...params },
    nowUs,
    rows,
  }
}

/** The row of a bucket of `count` invocations without execution times. */
function untimed(timestamp: number, count: number, error_count = 0): PlainRow {
  return {
    timestamp,
    min_execution_time: null,
    max_execution_time: null,
    avg_execution_time: null,
    p95_execution_time: null,
    p99_execution_time: null,
    count,
    error_count,
  }
}

type Times = [min: number, max: number, avg: number, p95: number, p99: number]

function timed(timestamp: number, count: number, [min, max, avg, p95, p99]: Times): PlainRow {
  return {
    ...untimed(timestamp, count),
    min_execution_time: min,
    max_execution_time: max,
    avg_execution_time: avg,
    p95_execution_time: p95,
    p99_execution_time: p99,
  }
}

const invocationAt = (time: string) => invocation({ timestampUs: at(time) })

interface Window {
  /** In order: the first time in the window (the start of a bucket), the last time, the start of the last bucket. */
  first: string
  last: string
  lastBucket: string
}

const HOURS: Window = {
  first: '2026-11-19T10:00:00.000000Z',
  last: '2026-11-20T10:59:59.999999Z',
  lastBucket: '2026-11-20T10:00:00Z',
}

const WINDOWS: Record<string, Window> = {
  '5min': {
    first: '2026-11-20T10:32:42.000000Z',
    last: '2026-11-20T10:37:42.999999Z',
    lastBucket: '2026-11-20T10:37:42Z',
  },
  '15min': {
    first: '2026-11-20T10:22:00.000000Z',
    last: '2026-11-20T10:37:59.999999Z',
    lastBucket: '2026-11-20T10:37:00Z',
  },
  '1hr': {
    first: '2026-11-20T09:37:00.000000Z',
    last: '2026-11-20T10:37:59.999999Z',
    lastBucket: '2026-11-20T10:37:00Z',
  },
  '1day': HOURS,
  '7day': {
    first: '2026-11-13T00:00:00.000000Z',
    last: '2026-11-20T23:59:59.999999Z',
    lastBucket: '2026-11-20T00:00:00Z',
  },
  '': HOURS,
  '1DAY': HOURS,
  minutely: HOURS,
  ['__proto__']: HOURS,
  constructor: HOURS,
}

/** An invocation at each edge of the window, and an invocation a microsecond beyond each edge. */
function edges(name: string, { first, last, lastBucket }: Window, params: Params): Case {
  const moments = [at(last) + 1, at(last), at(first), at(first) - 1]
  const records = moments.map((timestampUs) => invocation({ timestampUs }))
  return stats(name, records, params, [untimed(at(first), 1), untimed(at(lastBucket), 1)])
}

const EDGES = [
  edges('the window without an interval', HOURS, {}),
  ...Object.entries(WINDOWS).map(([interval, window]) =>
    edges(`the window of the interval "${interval}"`, window, { interval }),
  ),
  {
    ...edges('the window when now is the start of a bucket', HOURS, {}),
    nowUs: HOUR,
  },
  {
    ...edges('the window when now is the end of a bucket', HOURS, {}),
    nowUs: HOUR + 3_599_999_999,
  },
  {
    ...stats(
      'buckets before the epoch',
      ['1969-12-31T23:59:59.999999Z', '1969-12-31T12:00:00Z', '1969-12-31T11:59:59.999999Z'].map(invocationAt),
      {},
      [untimed(-43_200_000_000, 1), untimed(-3_600_000_000, 1)],
    ),
    nowUs: at('1970-01-01T12:00:00Z'),
  },
  stats(
    'buckets of a second, each of its own',
    ['10:35:01.000000', '10:35:00.999999', '10:35:00.000000', '10:37:42.9', '10:34:59.999999'].map((time) =>
      invocationAt(`2026-11-20T${time}Z`),
    ),
    { interval: '5min' },
    [
      untimed(at('2026-11-20T10:34:59Z'), 1),
      untimed(at('2026-11-20T10:35:00Z'), 2),
      untimed(at('2026-11-20T10:35:01Z'), 1),
      untimed(at('2026-11-20T10:37:42Z'), 1),
    ],
  ),
  stats(
    'every second of five minutes, latest first',
    upTo(301).map((n) => invocation({ timestampUs: at('2026-11-20T10:37:43Z') - n * 1_000_000 })),
    { interval: '5min' },
    upTo(301).map((n) => untimed(at('2026-11-20T10:32:41Z') + n * 1_000_000, 1)),
  ),
]

/** Invocations of one bucket with the given execution times, given as JSON. */
const withTimes = (times: readonly (number | string)[]) =>
  times.map((time) => invocation({ timestampUs: HOUR, metadata: `{"execution_time_ms":${time}}` }))

const times = (name: string, given: readonly (number | string)[], expected: Times) =>
  stats(`times: ${name}`, withTimes(given), {}, [timed(HOUR, given.length, expected)])

const TIMES = [
  times('one', [7], [7, 7, 7, 7, 7]),
  times('two', [3, 1], [1, 3, 2, 3, 3]),
  times('twenty: p95 is the 19th', upTo(20).reverse(), [1, 20, 10.5, 19, 20]),
  times('twenty-one: p95 is the 20th', upTo(21), [1, 21, 11, 20, 21]),
  times('a hundred: exact', upTo(100).reverse(), [1, 100, 50.5, 95, 99]),
  times('a thousand', upTo(1000).reverse(), [1, 1000, 500.5, 950, 990]),
  times('a thousand alike', Array(1000).fill(0.1), [0.1, 0.1, 0.1, 0.1, 0.1]),
  times('fractions come back as they were sent', [0.1, 0.2, 0.3], [0.1, 0.3, 0.2, 0.3, 0.3]),
  times(
    'more digits than a float has',
    ['123456.789', 16_777_217],
    [123_456.789, 16_777_217, 8_450_336.8945, 16_777_217, 16_777_217],
  ),
  times('whole numbers up to 2^53', [9_007_199_254_740_991], Array(5).fill(9_007_199_254_740_991) as Times),
  times('zero and below', [-5, 0, '-0', 2], [-5, 2, -0.75, 2, 2]),
  times('spelled otherwise', ['1e2', '100.0', '1E+2'], [100, 100, 100, 100, 100]),
  times('tiny', ['1e-300', '3e-300'], [1e-300, 3e-300, 2e-300, 3e-300, 3e-300]),
  times('huge: the sum would overflow', ['1.5e308', '1.7e308'], [1.5e308, 1.7e308, 1.6e308, 1.7e308, 1.7e308]),
  times('great ones that cancel out', ['1e16', 3, '-1e16'], [-1e16, 1e16, 1, 1e16, 1e16]),
]

const PARTLY_TIMED = withTimes([4, 'null', '"12"', '1e400', '-1e400', 'true', '[5]', '{"ms":5}', 2])

const ABSENT_TIMES = [
  stats('a time of the wrong type, or beyond the doubles, is none', PARTLY_TIMED, {}, [
    timed(HOUR, 9, [2, 4, 3, 4, 4]),
  ]),
  stats('a bucket without times', PARTLY_TIMED.slice(1, 8), {}, [untimed(HOUR, 7)]),
  stats('a bucket with times next to one without', [...withTimes([1]), invocationAt('2026-11-20T09:00:00Z')], {}, [
    untimed(at('2026-11-20T09:00:00Z'), 1),
    timed(HOUR, 1, [1, 1, 1, 1, 1]),
  ]),
]

const ERRORS = ['400', '500', '400.0', '4e2', '400.0001', '1e9']
const NO_ERRORS = ['399', '399.9999', '200', '0', '-400', 'null', '"500"', '"NaN"', '[500]', 'true', '{}']
const BARE = [
  '{}',
  '{"response":null}',
  '{"response":[]}',
  '{"response":[null]}',
  '{"response":500}',
  '{"status_code":500}',
  '{"response":{"status":500}}',
]

const withMetadata = (metadata: readonly string[]) =>
  metadata.map((json) => invocation({ timestampUs: HOUR, metadata: json }))
const withStatus = (statuses: readonly string[]) =>
  withMetadata(statuses.map((status) => `{"response":{"status_code":${status}}}`))

const STATUSES = [
  stats('each status of 400 and more is an error', withStatus(ERRORS), {}, [untimed(HOUR, 6, 6)]),
  stats('no lower or missing status is an error', withStatus(NO_ERRORS), {}, [untimed(HOUR, 11, 0)]),
  stats('both together', withStatus([...NO_ERRORS, ...ERRORS]), {}, [untimed(HOUR, 17, 6)]),
  stats('records without a response count', withMetadata(BARE), {}, [untimed(HOUR, 7, 0)]),
  stats(
    'repeated records: the first element is read',
    withMetadata([
      '[{"response":[{"status_code":500},{"status_code":200}]},{"response":{"status_code":200}}]',
      '[{"response":[{"status_code":200},{"status_code":500}]},{"response":{"status_code":500}}]',
      '[{"response":{"status_code":404}}]',
      '[]',
    ]),
    {},
    [untimed(HOUR, 4, 2)],
  ),
  stats('of equal keys the last', withMetadata(['{"response":{"status_code":500},"response":{}}']), {}, [
    untimed(HOUR, 1, 0),
  ]),
]

const ofFunction = (function_id: unknown) => invocation({ timestampUs: HOUR, metadata: { function_id } })
const FUNCTIONS = ['f', 'g', 'f', 'F', 'ff', '', null, 7, ['f'], undefined].map(ofFunction)
const AWKWARD_FUNCTIONS = AWKWARD_NAMES.map(ofFunction)

const FUNCTION_FILTER = [
  stats('all functions', FUNCTIONS, {}, [untimed(HOUR, 10)]),
  stats('all functions, empty', FUNCTIONS, { function_id: '' }, [untimed(HOUR, 10)]),
  stats('one function', FUNCTIONS, { function_id: 'f' }, [untimed(HOUR, 2)]),
  stats('a function that nothing has', FUNCTIONS, { function_id: '7' }, []),
  ...shown(
    'I4',
    AWKWARD_NAMES.map((function_id) =>
      stats(`function ${JSON.stringify(function_id).slice(0, 20)}`, AWKWARD_FUNCTIONS, { function_id }, [
        untimed(HOUR, 1),
      ]),
    ),
  ),
]

const PROJECTS = [
  stats('nothing held, no row', [], {}, []),
  stats(
    'the project is equal, letter by letter',
    ['a', 'A', 'ab', '', null].map((project) => invocation({ timestampUs: HOUR, project })),
    {},
    [untimed(HOUR, 1)],
  ),
  stats(
    'rows of the function relay alone',
    NINE_AND_OWN.map((source) => ({ ...invocation({ timestampUs: HOUR }), source })),
    {},
    [untimed(HOUR, 1)],
  ),
  ...shown(
    'I4',
    AWKWARD_NAMES.map((project) =>
      stats(
        `project ${JSON.stringify(project).slice(0, 20)}`,
        AWKWARD_NAMES.map((name) => invocation({ timestampUs: HOUR, project: name })),
        { project },
        [untimed(HOUR, 1)],
      ),
    ),
  ),
]

export const INVOCATION_STATS_CASES: readonly Case[] = [
  ...PROJECTS,
  ...EDGES,
  ...TIMES,
  ...ABSENT_TIMES,
  ...STATUSES,
  ...FUNCTION_FILTER,
]
