import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { range, type Selection } from '../../../../src/engine/arrow/columns/selection.js'
import {
  aggregate,
  createAggregation,
  createStates,
  mergeStates,
} from '../../../../src/engine/arrow/operators/aggregate.js'
import { mergePartial, type Partial, partialOf } from '../../../../src/engine/arrow/query/partials.js'
import { AREAS } from '../../../../src/engine/columns.js'
import type { Aggregate } from '../../../../src/plan/aggregates.js'
import type { Value } from '../../../../src/plan/answer.js'
import { atLeast, contains, count, countWhere, equals, max, mean, min, quantile } from '../../../../src/plan/builder.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { openBatch, rowsOf, sealedBatch } from '../support.js'

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
const aggregation = createAggregation(Object.entries(aggregates))

interface Call {
  timestampUs: number
  time?: number
  status?: number
}

const record = ({ timestampUs, time, status }: Call): TestRecord =>
  invocation({ timestampUs, metadata: { execution_time_ms: time, response: { status_code: status } } })

const finish = (states: unknown[]): Record<string, Value> =>
  Object.fromEntries(aggregation.outputs.map(({ name, fold, finish: output }) => [name, output(states[fold])]))

const finished = (partial: Partial) => new Map([...partial].map(([bucketUs, states]) => [bucketUs, finish(states)]))

/** Computes the same aggregates per second, one row at a time. The average of the values is exact. */
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

const call: fc.Arbitrary<Call> = fc.record(
  {
    timestampUs: fc.nat(3_500_000),
    time: fc.oneof(fc.nat(9), fc.constantFrom(0.5, -2.25, 70_000, 2 ** 33 + 0.5)),
    status: fc.constantFrom(200, 399, 400, 404, 500, 399.5),
  },
  { requiredKeys: ['timestampUs'] },
)
const calls = fc.array(call, { minLength: 1, maxLength: 40 })

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
            expect(finished(partialOf(batch, selection, 'second', aggregation))).toEqual(expected)
          }
        }
      }),
    )
  })

  it('of batches apart, merged, is that of all together, and merges leave what is merged as it is', () => {
    fc.assert(
      fc.property(fc.array(calls, { minLength: 1, maxLength: 5 }), (lists) => {
        const partials = lists.map((list) => {
          const batch = openBatch(list.map(record))
          return partialOf(batch, range(0, batch.rows, false), 'second', aggregation)
        })
        const before = structuredClone(partials)
        const total: Partial = new Map()
        for (const partial of partials) mergePartial(total, partial, aggregation)
        expect(finished(total)).toEqual(expectedBySecond(lists.flat()))
        expect(partials).toEqual(before)
      }),
    )
  })

  it('counts rows by what their path holds, each area for itself', async () => {
    const paths = ['/rest/v1', '/auth', '/x', '/storage/auth', undefined, '/realtime/rest', '/rest']
    const records = paths.map((path) => edge({ metadata: { request: { path } } }))
    const areas = createAggregation(AREAS.map((text) => [text, countWhere(contains('path', text))]))
    const expected = AREAS.map((area) => paths.filter((path) => path?.includes(area)).length)
    const indices: Selection = { kind: 'indices', indices: Uint32Array.from(paths.keys()), timeOrdered: false }
    for (const batch of [openBatch(records), await sealedBatch(records)]) {
      for (const selection of [range(0, batch.rows, false), indices]) {
        const states = partialOf(batch, selection, 'day', areas).get(0)!
        expect(areas.outputs.map(({ fold, finish: output }) => output(states[fold]))).toEqual(expected)
      }
    }
  })

  it('folds spans of one group into one state', () => {
    const batch = openBatch([1, 2, 3].map((time) => record({ timestampUs: 0, time })))
    const spans = { bucketsUs: [7, 8, 7], ends: [1, 2, 3] }
    const groups = { bucketsUs: [7, 8], ids: Uint32Array.of(0, 1, 0) }
    const states = aggregate(batch, range(0, 3, false), spans, groups, aggregation)
    expect(states.map((of) => [finish(of).rows, finish(of).average])).toEqual([
      [2, 2],
      [1, 2],
    ])
  })
})

describe('an aggregation', () => {
  it('runs one fold for aggregates of the same state', () => {
    expect(aggregation.folds.length).toBe(5)
    expect(aggregation.outputs.map(({ name }) => name)).toEqual(Object.keys(aggregates))
  })

  it('of nothing is null, and counts are 0', () => {
    const empty = { least: null, greatest: null, average: null, p50: null, p99: null, rows: 0, errors: 0 }
    const states = createStates(aggregation.folds)
    expect(finish(states)).toEqual(empty)
    mergeStates(aggregation, states, createStates(aggregation.folds))
    expect(finish(states)).toEqual(empty)
  })

  it('refuses what the engine cannot count', () => {
    expect(() => createAggregation([['x', countWhere(equals('url', 'a'))]])).toThrow(
      new TypeError('No count of rows where where {"test":"equals","column":"url","value":"a"}.'),
    )
    expect(() => createAggregation([['x', countWhere(contains('path', '/nowhere'))]])).toThrow(TypeError)
  })
})
