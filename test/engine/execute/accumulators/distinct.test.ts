import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  distinctAccumulator,
  distinctOf,
  EXACT_DISTINCT,
  sketchAccumulator,
} from '../../../../src/engine/execute/accumulators/distinct.js'
import type { EachCount } from '../../../../src/engine/execute/accumulators/value-counts.js'
import { RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { cut, mergedStateOf, stateOf } from '../../store/support.js'

const each =
  (values: Iterable<Scalar>): EachCount =>
  (visit) => {
    for (const value of values) visit(value, 1)
  }

function* range(from: number, to: number, make: (i: number) => Scalar = (i) => i): Generator<Scalar> {
  for (let i = from; i < to; i++) yield make(i)
}

/** Values that differ in few bits, or much. */
const KINDS: Readonly<Record<string, (i: number) => Scalar>> = {
  'whole numbers': (i) => i,
  fractions: (i) => i / 7,
  texts: (i) => `user-${i}`,
  'long texts': (i) => `https://a.co/rest/v1/todos?id=eq.${i}&select=*`,
  timestamps: (i) => new Timestamp(1_763_632_800_000_000 + i * 1_000),
}

const value = fc.constantFrom<Scalar>(
  1,
  '1',
  true,
  'a',
  '',
  new Timestamp(1),
  new RawJson('{}'),
  new RawJson('{ }'),
  2n ** 60n,
)
const parts = fc.tuple(fc.array(value, { maxLength: 30 }), fc.array(fc.nat(30), { maxLength: 3 }))

describe('a count of distinct values', () => {
  it('is exact, however they are cut and merged', () => {
    fc.assert(
      fc.property(parts, ([values, places]) => {
        const expected = new Set(values).size
        const pieces = cut(values, places).map(each)
        expect(stateOf(distinctAccumulator, ...pieces).keys.size).toBe(expected)
        expect(mergedStateOf(distinctAccumulator, pieces).keys.size).toBe(expected)
        expect(distinctOf(stateOf(sketchAccumulator, ...pieces))).toBe(expected)
        expect(distinctOf(mergedStateOf(sketchAccumulator, pieces))).toBe(expected)
      }),
    )
  })

  it('takes memory for what it has seen', () => {
    const state = stateOf(distinctAccumulator, each(range(0, 1_000, (i) => `${i} ${'x'.repeat(100)}`)))
    const bytes = distinctAccumulator.bytes(state)
    expect(bytes).toBeGreaterThan(100_000)
    distinctAccumulator.update(state, each(range(0, 1_000, (i) => `${i} ${'x'.repeat(100)}`)))
    expect(distinctAccumulator.bytes(state)).toBe(bytes)
  })
})

describe('an approximate count of distinct values', () => {
  it('is exact up to 1,000 of them, and small until then', () => {
    for (const make of Object.values(KINDS)) {
      const state = stateOf(sketchAccumulator, each(range(0, EXACT_DISTINCT, make)))
      expect(distinctOf(state)).toBe(1_000)
      expect(state.registers).toBeUndefined()
      sketchAccumulator.update(state, each(range(0, EXACT_DISTINCT, make)))
      expect(distinctOf(state)).toBe(1_000)
    }
    const few = stateOf(sketchAccumulator, each(range(0, 10)))
    expect(sketchAccumulator.bytes(few)).toBeLessThan(1_000)
    const many = stateOf(sketchAccumulator, each(range(0, 2_000)))
    expect(sketchAccumulator.bytes(many)).toBeLessThan(17_000)
  })

  it.each(Object.entries(KINDS))('has a standard error of at most 1.3 %% of %s', (_, make) => {
    for (const [count, samples] of [
      [1_001, 25],
      [10_000, 25],
      // Where other estimates have a bias: about 2.5 values for each register.
      [40_000, 12],
      [100_000, 5],
    ] as const) {
      const errors = Array.from({ length: samples }, (_, sample) => {
        const from = sample * 10_000_000
        return distinctOf(stateOf(sketchAccumulator, each(range(from, from + count, make)))) / count - 1
      })
      const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / samples)
      expect(deviation).toBeLessThanOrEqual(0.013)
      // Three deviations of a sketch of 2^14 registers.
      expect(Math.max(...errors.map(Math.abs))).toBeLessThanOrEqual(0.025)
    }
  })

  it('is as good of a million', () => {
    const count = distinctOf(stateOf(sketchAccumulator, each(range(0, 1_000_000, KINDS.texts))))
    expect(Math.abs(count / 1_000_000 - 1)).toBeLessThanOrEqual(0.013)
  })

  it.each([
    [500, 300, 800],
    [500, 1_000, 1_500],
    [3_000, 2_000, 4_000],
    [20_000, 500, 20_000],
    [500, 20_000, 20_100],
  ])('merged is that of the union: %d and %d of %d', (first, second, total) => {
    const of = (from: number, to: number) => stateOf(sketchAccumulator, each(range(from, to, KINDS.texts)))
    const into = of(0, first)
    const from = of(total - second, total)
    const before = structuredClone(from)
    sketchAccumulator.merge(into, from)
    expect(into).toEqual(of(0, total))
    expect(from).toEqual(before)
    expect(distinctOf(into)).toBe(distinctOf(of(0, total)))
  })

  it('can be added to after a merge, and merges in any order are equal', () => {
    const pieces = [range(0, 900), range(500, 1_500), range(1_400, 5_000), range(0, 10)].map((values) => [...values])
    const merged = (order: readonly number[]) =>
      mergedStateOf(
        sketchAccumulator,
        order.map((i) => each(pieces[i]!)),
      )
    const all = stateOf(sketchAccumulator, each(range(0, 5_000)))
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
    ])
      expect(merged(order)).toEqual(all)
  })
})
