import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meanAccumulator, meanOf } from '../../../../src/engine/execute/accumulators/mean.js'
import { exactMean } from '../../../oracle/exact-mean.js'
import { cut, mergedStateOf, numbers, stateOf } from '../../store/support.js'

/** The promised error, relative to the mean. */
const RELATIVE_ERROR = 1e-12

const means = (values: readonly number[], places: readonly number[] = []) => {
  const parts = cut(values, places).map(numbers)
  return [meanOf(stateOf(meanAccumulator, ...parts)), meanOf(mergedStateOf(meanAccumulator, parts))]
}

function expectExact(values: readonly number[], places?: readonly number[]) {
  const exact = exactMean(values)
  for (const mean of means(values, places)) {
    expect(Math.abs(mean! - exact), `${mean} is not ${exact}`).toBeLessThanOrEqual(RELATIVE_ERROR * Math.abs(exact))
  }
}

const places = fc.array(fc.nat(60), { maxLength: 5 })

/** Numbers of one sign, of any size. The sum has no cancellation. */
const positive = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })
/** Whole numbers of both signs. The sum may be far smaller than the numbers, or 0. */
const cancelling = fc
  .tuple(fc.array(fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), { minLength: 1, maxLength: 25 }), fc.integer())
  .map(([values, rest]) => [...values, ...values.map((value) => -value), rest % 3])

describe('the mean', () => {
  it('of numbers of one sign is right, in any split', () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 60 }), places, fc.boolean(), (values, at, negative) =>
        expectExact(negative ? values.map((value) => -value) : values, at),
      ),
    )
  })

  it('of numbers that cancel is right, in any order and any split', () => {
    fc.assert(
      fc.property(
        cancelling.chain((values) => fc.shuffledSubarray(values, { minLength: values.length })),
        places,
        fc.constantFrom(1, 2 ** -40, 1e200, 2 ** 950, 2 ** -1000),
        (values, at, scale) =>
          expectExact(
            values.map((value) => value * scale),
            at,
          ),
      ),
    )
  })

  it('of numbers of every size that cancel is right, in any order and any split', () => {
    const some = fc.array(fc.oneof(positive, fc.constantFrom(2 ** 900, 2 ** 899, 1e308, 1, 5e-324)), { maxLength: 12 })
    const values = fc
      .tuple(
        some,
        fc.array(
          positive.map((value) => -value),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .chain(([pairs, rest]) => {
        const all = [...pairs, ...pairs.map((value) => -value), ...rest]
        return fc.shuffledSubarray(all, { minLength: all.length })
      })
    fc.assert(fc.property(values, places, (given, at) => expectExact(given, at)))
  })

  it('of whole numbers whose sum is exact is the sum over the count', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1 }), places, (values, at) => {
        const sum = values.reduce((a, b) => a + b, 0)
        for (const mean of means(values, at)) expect(mean! + 0).toBe(sum / values.length + 0)
      }),
    )
  })

  it.each([
    ['huge', Array.from({ length: 10 }, () => Number.MAX_VALUE)],
    ['huge of both signs', [Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, -1e307]],
    ['a small one left over by huge ones', [1e308, 1, -1e308]],
    ['a small one left over by large ones', [1e16, 1, -1e16]],
    ['subnormal', [5e-324, 5e-324, 5e-324]],
    ['subnormal and normal', [5e-324, 2.5e-308, -2.5e-308, 5e-324]],
    ['on both sides of the border to the large', [2 ** 900, 2 ** 899, -(2 ** 900), 3]],
    ['large ones that all but cancel', [2 ** 900, -(2 ** 900) * (1 - 2 ** -53), 0]],
    ['of three sizes, of which two cancel', [1e40, 1e20, 1, -1e40, -1e20]],
    ['zeros of both signs', [0, -0]],
    ['a tenth, many times', Array.from({ length: 1000 }, () => 0.1)],
    [
      'a tenth and its opposite',
      [...Array.from({ length: 300 }, () => 0.1), ...Array.from({ length: 299 }, () => -0.1)],
    ],
  ])('is right of numbers that are %s', (_, values) => {
    expectExact(values)
    expectExact(values.toReversed(), [1, 2])
  })

  it('is null where there was no value', () => {
    expect(means([], [0])).toEqual([null, null])
  })

  it('a merge leaves what is merged as it is', () => {
    const [into, from] = [stateOf(meanAccumulator, numbers([1])), stateOf(meanAccumulator, numbers([0.1, 0.2, 1e300]))]
    const before = structuredClone(from)
    meanAccumulator.merge(into, from)
    meanAccumulator.update(into, numbers([5]))
    expect(from).toEqual(before)
  })
})
