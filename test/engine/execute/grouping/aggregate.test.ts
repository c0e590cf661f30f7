import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AREAS } from '../../../../src/common/columns.js'
import type { LazyBatch } from '../../../../src/engine/execute/batches/lazy-batch.js'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import {
  bytesOfStates,
  createAggregation,
  createStates,
  mergeStates,
} from '../../../../src/engine/execute/grouping/aggregate.js'
import { group } from '../../../../src/engine/execute/operators/group.js'
import { kindsOf } from '../../../../src/engine/execute/stages/source-kinds.js'
import type { Aggregate } from '../../../../src/plan/aggregates.js'
import { atLeast, contains, count, countWhere, max, mean, min, quantile, share } from '../../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import type { NamedAggregate } from '../../../../src/plan/plan.js'
import { compareAll, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import {
  computed,
  frameOf,
  lazyBatch,
  openBatch,
  partOf,
  rowsOf,
  runContext,
  sealedBatch,
  valuesOf,
} from '../../store/support.js'

const TIMES = 'execution_time_ms'
const aggregates: Record<string, Aggregate> = {
  least: min(TIMES),
  greatest: max(TIMES),
  average: mean(TIMES),
  p50: quantile(TIMES, 50),
  p99: quantile(TIMES, 99),
  rows: count(),
  errors: countWhere(atLeast('status_code', 400)),
}
const named = (columns: Record<string, Aggregate>): NamedAggregate[] =>
  Object.entries(columns).map(([name, value]) => ({ name, value }))
const isStored = (expression: Expression) =>
  expression.kind === 'column' && kindsOf('function_edge_logs').kindOf(expression.name) === 'number'
const aggregation = createAggregation(named(aggregates), isStored)
const SECOND = call('timestamp_trunc', column('timestamp'), literal('second'))

interface Call {
  timestampUs: number
  time?: number
  status?: number
}

const record = ({ timestampUs, time, status }: Call): TestRecord =>
  invocation({ timestampUs, metadata: { execution_time_ms: time, response: { status_code: status } } })

const calledOf = (batch: Batch, selection?: Selection) => frameOf(batch, 'function_edge_logs', selection)

/** The aggregates of the batches' rows by second, in microseconds. */
async function bySecond(input: readonly LazyBatch[], context = runContext().context) {
  const sink = { op: 'group', keys: [{ name: 'second', value: SECOND }], aggregates: named(aggregates) } as const
  const names = ['second', ...Object.keys(aggregates)]
  const rows = await valuesOf(await group(input, sink, isStored, context), names)
  return new Map(
    rows.map(([second, ...values]) => [
      (second as Timestamp).us,
      Object.fromEntries(values.map((value, i) => [names[i + 1]!, value])),
    ]),
  )
}

/** The values of aggregates of all rows, without keys. */
async function ofAll(input: readonly LazyBatch[], columns: Record<string, Aggregate>) {
  const sink = { op: 'group', keys: [], aggregates: named(columns) } as const
  const grouped = await group(input, sink, isStored, runContext().context)
  const [row] = await valuesOf(grouped, Object.keys(columns))
  return row!
}

/** Computes the same aggregates per second, a row at a time. The average of the values is exact. */
function expectedBySecond(calls: readonly Call[]) {
  const secondOf = ({ timestampUs }: Call) => timestampUs - (timestampUs % 1e6)
  const seconds = [...new Set(calls.map(secondOf))].map(
    (bucketUs) => [bucketUs, calls.filter((row) => secondOf(row) === bucketUs)] as const,
  )
  return new Map(
    seconds.map(([bucketUs, rows]) => {
      const times = rows.flatMap(({ time }) => time ?? []).sort((a, b) => a - b)
      const rank = (percent: number) => times[Math.ceil((percent * times.length) / 100) - 1] ?? null
      const expected = {
        least: times[0] ?? null,
        greatest: times.at(-1) ?? null,
        average: times.length === 0 ? null : times.reduce((a, b) => a + b, 0) / times.length,
        p50: rank(50),
        p99: rank(99),
        rows: rows.length,
        errors: rows.filter(({ status }) => status !== undefined && status >= 400).length,
      }
      return [bucketUs, expected]
    }),
  )
}

const arbitraryCall: fc.Arbitrary<Call> = fc.record(
  {
    timestampUs: fc.nat(3_500_000),
    time: fc.oneof(fc.nat(9), fc.constantFrom(0.5, -2.25, 70_000, 2 ** 33 + 0.5)),
    status: fc.constantFrom(200, 399, 400, 404, 500, 399.5),
  },
  { requiredKeys: ['timestampUs'] },
)
const calls = fc.array(arbitraryCall, { minLength: 1, maxLength: 40 })

describe('aggregating', () => {
  it('gives each bucket the aggregates of its rows, of open and sealed batches, of ranges and indices', async () => {
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 2, max: 5 }), async (given, modulus) => {
        const sorted = given.toSorted((a, b) => a.timestampUs - b.timestampUs)
        const batches = [
          [openBatch(given.map(record)), given],
          [await sealedBatch(given.map(record)), sorted],
        ] as const
        for (const [batch, rows] of batches) {
          const whole = range(0, batch.rows, false)
          const picked = rowsOf(whole).filter((row) => row % modulus !== 1)
          const some: Selection = { kind: 'indices', indices: Uint32Array.from(picked), timeOrdered: false }
          const tail = range(Math.min(1, batch.rows - 1), batch.rows, false)
          for (const selection of [whole, some, tail]) {
            const expected = expectedBySecond(rowsOf(selection).map((row) => rows[row]!))
            expect(await bySecond([lazyBatch(calledOf(batch, selection))])).toEqual(expected)
          }
        }
      }),
    )
  })

  it('of batches apart, merged, is that of all together, and merges leave what is merged as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 5 }), async (lists) => {
        const { context } = runContext()
        const input = lists.map((list) => {
          const batch = openBatch(list.map(record))
          return lazyBatch(calledOf(batch), partOf(batch, true))
        })
        const expected = expectedBySecond(lists.flat())
        expect(await bySecond(input, context)).toEqual(expected)
        // The partials now come from the cache. The first merge has not changed the partials.
        const unread = input.map((batch): LazyBatch => ({ ...batch, read: () => Promise.reject(new Error('read')) }))
        expect(await bySecond(unread, context)).toEqual(expected)
        expect(await bySecond([...unread, ...unread.slice(0, 1)], context)).toEqual(
          expectedBySecond([...lists.flat(), ...lists[0]!]),
        )
      }),
    )
  })

  it('counts rows by what their path holds, each area for itself', async () => {
    const paths = ['/rest/v1', '/auth', '/x', '/storage/auth', undefined, '/realtime/rest', '/rest']
    const records = paths.map((path) => edge({ metadata: { request: { path } } }))
    const areas = Object.fromEntries(AREAS.map((text) => [text, countWhere(contains('path', text))]))
    const shares = Object.fromEntries(AREAS.map((text) => [text, share(contains('path', text))]))
    const expected = AREAS.map((area) => paths.filter((path) => path?.includes(area)).length)
    const indices: Selection = { kind: 'indices', indices: Uint32Array.from(paths.keys()), timeOrdered: false }
    for (const batch of [openBatch(records), await sealedBatch(records)]) {
      for (const selection of [range(0, batch.rows, false), indices]) {
        const input = [lazyBatch(frameOf(batch, 'edge_logs', selection))]
        expect(await ofAll(input, areas)).toEqual(expected)
        expect(await ofAll(input, shares)).toEqual(expected.map((rows) => rows / paths.length))
      }
    }
  })

  it('counts a condition of one part of the rows, whatever part was counted before', async () => {
    const paths = ['/rest', '/x', '/rest', '/rest']
    const batch = openBatch(paths.map((path) => edge({ metadata: { request: { path } } })))
    const rest = { n: countWhere(contains('path', '/rest')) }
    const countOf = async (selection: Selection) =>
      (await ofAll([lazyBatch(frameOf(batch, 'edge_logs', selection))], rest))[0]
    expect(await countOf(range(0, 2, false))).toBe(1)
    expect(await countOf(range(2, 4, false))).toBe(2)
    expect(await countOf(range(0, 2, false))).toBe(1)
  })

  it('folds spans of one group into one state', async () => {
    const batch = openBatch([7, 8, 7].map((second, i) => record({ timestampUs: second * 1e6, time: i + 1 })))
    const groups = await bySecond([lazyBatch(calledOf(batch))])
    expect([...groups].map(([us, { rows, average }]) => [us, rows, average])).toEqual([
      [7e6, 2, 2],
      [8e6, 1, 2],
    ])
  })
})

const x = column('x')
const call1 = (fn: Aggregate['fn'], ...args: Expression[]): Aggregate => ({ fn, args })

/** The most frequent texts, numbers and booleans as JSON. */
function topOf(values: readonly Scalar[], most: number): string {
  const listed = values.filter((value) => !(value instanceof Timestamp)).map((value) => JSON.stringify(value))
  const items = [...new Set(listed)].map((json) => ({ json, rows: listed.filter((one) => one === json).length }))
  items.sort((a, b) => b.rows - a.rows || (a.json < b.json ? -1 : 1))
  return `[${items.slice(0, most).map(({ json, rows }) => `{"value":${json},"count":${rows}}`)}]`
}

describe('an aggregate of any values', () => {
  const value = fc.constantFrom<Scalar>(null, true, false, 1, 2.5, -3, '', 'a', '7', '1e2', 'ä', new Timestamp(5))

  it('is that of a list of them, in one batch or in several', async () => {
    const columns: Record<string, Aggregate> = {
      rows: call1('count'),
      present: call1('count', x),
      least: call1('min', x),
      greatest: call1('max', x),
      sum: call1('sum', x),
      mean: call1('avg', x),
      distinct: call1('count_distinct', x),
      about: call1('approx_count_distinct', x),
      nulls: call1('countif', call('is_null', x)),
      share: call1('share', call('is_null', x)),
      top: call1('top_values', x, literal(2)),
      list: call1('array_agg', x),
    }
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), fc.nat(20), async (values, cut) => {
        const present = values.filter((one) => one !== null)
        const numbers = present.flatMap((one) => {
          const number = typeof one === 'string' && one !== '' ? Number(one) : one
          return typeof number === 'number' && !Number.isNaN(number) ? [number] : []
        })
        const sorted = present.toSorted(compareAll)
        const sum = numbers.length === 0 ? null : numbers.reduce((a, b) => a + b, 0)
        const distinct = sorted.filter((one, i) => i === 0 || compareAll(one, sorted[i - 1]!) !== 0).length
        const nulls = values.length - present.length
        const expected = [
          values.length,
          present.length,
          sorted[0] ?? null,
          sorted.at(-1) ?? null,
          sum,
          sum === null ? null : sum / numbers.length,
          distinct,
          distinct,
          nulls,
          nulls / values.length,
          [present.length, distinct, topOf(present, 2)],
          present.length === 0 ? null : present,
        ]
        const input = [values.slice(0, cut), values.slice(cut)].map((part) => computed({ x: part }))
        expect(await ofAll(input, columns)).toEqual(expected)
      }),
    )
  })

  it('takes some of them: any, quantiles, a list with a limit, a joined text', async () => {
    const input = [computed({ x: [null, 3, 1] }), computed({ x: [2, null] })]
    const columns = {
      any: call1('any_value', x),
      p50: call1('quantile', x, literal(50)),
      quarters: call1('approx_quantiles', x, literal(2)),
      two: call1('array_agg', x, literal(2)),
      joined: call1('string_agg', x, literal('; ')),
      commas: call1('string_agg', x),
    }
    expect(await ofAll(input, columns)).toEqual([3, 2, [1, 2, 3], [3, 1], '3; 1; 2', '3,1,2'])
    expect(await ofAll([computed({ x: [null] })], columns)).toEqual([null, null, null, null, null, null])
  })
})

describe('an aggregation', () => {
  it('runs one fold for aggregates of the same state', () => {
    expect(aggregation.folds.length).toBe(5)
    expect(aggregation.outputs.map(({ name }) => name)).toEqual(Object.keys(aggregates))
    const twice = { a: call1('sum', x), b: call1('avg', column('x')), c: call1('avg', column('y')) }
    expect(createAggregation(named(twice), () => false).folds.length).toBe(2)
  })

  it('of nothing is null, and counts are 0', async () => {
    const empty = { least: null, greatest: null, average: null, p50: null, p99: null, rows: 0, errors: 0 }
    const finish = (states: unknown[]) =>
      Object.fromEntries(aggregation.outputs.map(({ name, fold, finish: output }) => [name, output(states[fold])]))
    const states = createStates(aggregation)
    expect(finish(states)).toEqual(empty)
    await mergeStates(aggregation, states, createStates(aggregation), () => undefined)
    expect(finish(states)).toEqual(empty)
    expect(bytesOfStates(aggregation, states)).toBeGreaterThan(0)
  })

  it('refuses options that differ from row to row', () => {
    const made = (aggregate: Aggregate) => () => createAggregation([{ name: 'x', value: aggregate }], () => false)
    for (const [fn, option] of [
      ['quantile', column('y')],
      ['approx_quantiles', literal('a')],
      ['array_agg', column('y')],
    ] as const) {
      expect(made(call1(fn, x, option))).toThrow(new TypeError(`${fn} needs a number that is written in the query.`))
    }
    expect(made(call1('string_agg', x, literal(1)))).toThrow(
      new TypeError('string_agg needs a text that is written in the query.'),
    )
  })

  it('refuses a text that the column of areas does not know', async () => {
    const frame = frameOf(openBatch([edge()]), 'edge_logs')
    await expect(ofAll([lazyBatch(frame)], { x: countWhere(contains('path', '/nowhere')) })).rejects.toThrow(
      new TypeError('The column path can be asked only whether it contains one of /rest, /storage, /auth, /realtime.'),
    )
  })
})
