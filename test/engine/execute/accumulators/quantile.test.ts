import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type QuantileState,
  quantileAccumulator,
  quantileOf,
} from '../../../../src/engine/execute/accumulators/quantile.js'
import { manyNumbers, mergedStateOf, numbers, stateOf } from '../../store/support.js'
import { arbitrarySample, DISTRIBUTIONS, draw, nearestRank, rankErrorPoints } from './distributions.js'

/** The library has no types. With `false` the digest is exact. */
const { TDigest } = createRequire(import.meta.url)('tdigest') as {
  TDigest: new (delta: false) => { push(values: readonly number[]): void; percentile(share: number): number }
}

const PERCENTS = [1, 25, 50, 90, 95, 99, 100]
/** The contract allows 0.5 percentage points. The digests stay far below the limit. */
const RANK_ERROR_POINTS = 0.2

/** Divides a sample into at most `count` parts of about equal size. */
function parts(values: Float64Array, count: number) {
  const rows = Math.ceil(values.length / count)
  return Array.from({ length: Math.ceil(values.length / rows) }, (_, i) =>
    manyNumbers(values.slice(i * rows, (i + 1) * rows)),
  )
}

function expectNear(state: QuantileState, sorted: Float64Array) {
  for (const percent of PERCENTS) {
    const value = quantileOf(state, percent)
    const error = rankErrorPoints(sorted, percent, value)
    if (!(error <= RANK_ERROR_POINTS)) expect.fail(`p${percent} is ${value}, off by ${error} percentage points`)
  }
}

function expectExact(state: QuantileState, sorted: Float64Array) {
  const found = PERCENTS.map((percent) => quantileOf(state, percent)! + 0)
  expect(found).toEqual(PERCENTS.map((percent) => nearestRank(sorted, percent) + 0))
}

describe('a quantile', () => {
  it('of few values is exact, in any split', () => {
    fc.assert(
      fc.property(arbitrarySample(1, 1024), fc.integer({ min: 1, max: 100 }), (sample, count) => {
        const values = draw(sample)
        expectExact(stateOf(quantileAccumulator, ...parts(values, count)), draw(sample).sort())
        expectExact(mergedStateOf(quantileAccumulator, parts(values, count)), draw(sample).sort())
      }),
    )
  })

  it('of small integers is exact where they come in stretches that are counted', () => {
    const integers = fc.array(fc.nat(50), { minLength: 30, maxLength: 60 })
    fc.assert(
      fc.property(
        integers,
        fc.integer({ min: 150, max: 200 }),
        fc.integer({ min: 1, max: 4 }),
        (some, times, count) => {
          const values = Float64Array.from(Array<number[]>(times).fill(some).flat())
          expectExact(stateOf(quantileAccumulator, manyNumbers(values)), values.toSorted())
          expectExact(mergedStateOf(quantileAccumulator, parts(values, count)), values.toSorted())
        },
      ),
      { numRuns: 20 },
    )
  })

  it('is the one that an independent library finds', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 100 }), (values) => {
        const reference = new TDigest(false)
        reference.push(values)
        const state = stateOf(quantileAccumulator, numbers(values))
        for (const percent of [1, 25, 50, 75, 95, 99]) {
          expect(quantileOf(state, percent)).toBe(reference.percentile(percent / 100))
        }
      }),
    )
  })

  it('of many values is near, in any split', () => {
    fc.assert(
      fc.property(arbitrarySample(1, 30_000), fc.integer({ min: 1, max: 100 }), (sample, count) => {
        const values = draw(sample)
        const sorted = draw(sample).sort()
        expectNear(stateOf(quantileAccumulator, ...parts(values, count)), sorted)
        expectNear(mergedStateOf(quantileAccumulator, parts(values, count)), sorted)
      }),
      { numRuns: 60 },
    )
  })

  it.each(Object.keys(DISTRIBUTIONS))('of 300,000 values is near, in 1, 7 or 100 states: %s', (distribution) => {
    const values = draw({ distribution, order: 'drawn', length: 300_000, seed: 7 })
    const sorted = values.slice().sort()
    for (const count of [1, 7, 100]) expectNear(mergedStateOf(quantileAccumulator, parts(values, count)), sorted)
    expectNear(stateOf(quantileAccumulator, ...parts(values, 1000)), sorted)
  })

  it('of states of very different sizes is near', () => {
    const values = draw({ distribution: 'log-normal', order: 'ascending', length: 70_000, seed: 3 })
    const cuts = [0, 1, 3, 1027, 2052, 60_000, 70_000]
    const pieces = cuts.slice(1).map((end, i) => manyNumbers(values.slice(cuts[i]!, end)))
    expectNear(mergedStateOf(quantileAccumulator, pieces), values)
  })

  it('of values that come one by one, over the limit of single ones, is near', () => {
    const values = draw({ distribution: 'log-normal', order: 'drawn', length: 140_000, seed: 5 })
    const state = quantileAccumulator.create()
    for (let row = 0; row < values.length; row += 20)
      quantileAccumulator.update(state, manyNumbers(values.slice(row, row + 20)))
    expectNear(state, values.sort())
  })

  it('is null where there was no value', () => {
    expect(quantileOf(quantileAccumulator.create(), 95)).toBeNull()
    expect(quantileOf(mergedStateOf(quantileAccumulator, [numbers([]), numbers([])]), 95)).toBeNull()
  })

  it.each([10, 5_000])('a merge of %d values leaves what is merged as it is', (length) => {
    const sample = () => manyNumbers(draw({ distribution: 'uniform', order: 'drawn', length, seed: length }))
    const [into, from] = [stateOf(quantileAccumulator, sample()), stateOf(quantileAccumulator, sample())]
    const before = structuredClone(from)
    quantileAccumulator.merge(into, from)
    quantileAccumulator.merge(into, from)
    quantileAccumulator.update(into, numbers([-1]))
    quantileOf(into, 50)
    expect(from).toEqual(before)
  })

  it('finishing changes no answer, not even of what the state is merged into later', () => {
    const sample = draw({ distribution: 'uniform', order: 'drawn', length: 9_000, seed: 2 })
    const state = stateOf(quantileAccumulator, ...parts(sample, 4), numbers([5, 1, 3]))
    const answers = () => PERCENTS.map((percent) => quantileOf(state, percent))
    const first = answers()
    expect(answers()).toEqual(first)
    const merged = quantileAccumulator.create()
    quantileAccumulator.merge(merged, state)
    expect(PERCENTS.map((percent) => quantileOf(merged, percent))).toEqual(first)
  })
})
