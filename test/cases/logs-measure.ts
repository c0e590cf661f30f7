import type { Params, PlainRow } from '../oracle/oracle.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { at, type Case, upTo } from './case.js'

const NOW = '2026-11-20T10:37:42.500000Z'
const TIME = '2026-11-20T10:36:30Z'
const MINUTE_US = 60_000_000

const run = (execution_time_ms: unknown, time = TIME, project = 'a') =>
  invocation({ timestampUs: at(time), project, metadata: { execution_time_ms } as never })

function measure(name: string, records: readonly TestRecord[], params: Params, rows: readonly PlainRow[]): Case {
  return {
    name: `logs.measure: ${name}`,
    endpoint: 'logs.measure',
    records,
    params: { project: 'a', source: 'function_edge_logs', field: 'execution_time_ms', ...params },
    nowUs: at(NOW),
    rows,
  }
}

/** The row of numbers, ascending. */
function bucket(time: string, numbers: readonly number[], avg: number, quantiles: readonly [number, number, number]) {
  const [p50, p95, p99] = quantiles
  const [min, max] = [numbers[0]!, numbers.at(-1)!]
  return { timestamp: at(time), bucket_us: MINUTE_US, count: numbers.length, min, max, avg, p50, p95, p99 }
}

const one = (value: number) => [bucket('2026-11-20T10:36:00Z', [value], value, [value, value, value])]

export const LOGS_MEASURE_CASES: readonly Case[] = [
  measure('one number is all of its measures', [run(12.5)], {}, one(12.5)),
  measure(
    'each bucket has its own numbers',
    [run(3), run(1), run(2, '2026-11-20T10:37:00Z'), run(8, '2026-11-20T10:37:59.999999Z')],
    {},
    [bucket('2026-11-20T10:36:00Z', [1, 3], 2, [1, 3, 3]), bucket('2026-11-20T10:37:00Z', [2, 8], 5, [2, 8, 8])],
  ),
  measure(
    'percentiles are values of their ranks',
    upTo(100).map((n) => run(101 - n)),
    {},
    [bucket('2026-11-20T10:36:00Z', upTo(100), 50.5, [50, 95, 99])],
  ),
  measure(
    'what is no number does not count',
    [run(7), run(null), run('slow'), run('12'), run(true), run([1]), run({ a: 1 }), run(''), run(undefined)],
    {},
    one(7),
  ),
  measure('without a number there is no row', [run(null), run('x')], {}, []),
  measure('negative numbers and zero are numbers', [run(-5), run(0), run(2)], {}, [
    bucket('2026-11-20T10:36:00Z', [-5, 0, 2], -1, [0, 2, 2]),
  ]),
  measure(
    'a text that spells a number, with nothing around it, is that number',
    ['1e3', ' 500 ', '-0.5', '.5', '0x10', '1_000'].map((text) =>
      edge({ timestampUs: at(TIME), metadata: { request: { method: text } } }),
    ),
    { source: 'edge_logs', field: 'request.method' },
    [bucket('2026-11-20T10:36:00Z', [-0.5, 0.5, 1_000], 1_000 / 3, [0.5, 1_000, 1_000])],
  ),
  measure(
    'other projects and times, and what a filter or a search leaves out, do not count',
    [
      run(1, TIME, 'b'),
      run(2, '2026-11-20T09:37:42.499999Z'),
      run(4),
      invocation({ timestampUs: at(TIME), event_message: 'other', metadata: { execution_time_ms: 5 } as never }),
      invocation({ timestampUs: at(TIME), event_message: 'other', metadata: { execution_time_ms: 60 } as never }),
    ],
    { filter: '[{"field":"execution_time_ms","op":">","value":4}]', search: 'OTHER' },
    [bucket('2026-11-20T10:36:00Z', [5, 60], 32.5, [5, 60, 60])],
  ),
]
