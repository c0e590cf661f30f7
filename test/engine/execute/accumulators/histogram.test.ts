import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createHistograms,
  type Histogram,
  LISTED_LENGTH,
} from '../../../../src/engine/execute/accumulators/histogram.js'
import { createCounter } from '../../../../src/engine/execute/columns/counting.js'
import { runs } from '../../../support/runs.js'

const value = fc.oneof(
  fc.integer({ min: -3, max: 9000 }),
  fc.constantFrom(0, 8191, 8192, 0.5, 1e300, -0),
  fc.double({ noNaN: true }),
)

/** Returns every value of a histogram, ascending. Zeros have no sign. */
function valuesOf({ length, counted, integers, others }: Histogram): number[] {
  const listed = [...others.subarray(0, length - counted)]
  const { values, cumulative } = integers ?? { values: [], cumulative: [] }
  const repeated = [...values].flatMap((value, i) =>
    Array<number>(cumulative[i]! - (cumulative[i - 1] ?? 0)).fill(value),
  )
  return [...listed, ...repeated].map(plain).sort(ascending)
}

const plain = (value: number) => value + 0
const ascending = (a: number, b: number) => a - b

describe('a histogram', () => {
  it('has every value once, counted or listed, whatever was counted in its memory before', () => {
    const { ofNumbers } = createHistograms()
    const many = fc.array(value, { minLength: 1, maxLength: 3000 })
    fc.assert(
      fc.property(many, (values) => {
        const taken = ofNumbers({
          values: Float64Array.of(...values, 7, Number.NaN),
          length: values.length,
        })
        expect(valuesOf(taken)).toEqual(values.map(plain).sort(ascending))
        const small = values.filter((value) => Number.isInteger(value) && value >= 0 && value < 65_535)
        expect(taken.counted).toBe(values.length > LISTED_LENGTH ? small.length : 0)
        if (taken.counted > 0) expect(taken.integers!.sum).toBe(small.reduce((a, b) => a + b))
      }),
    )
  })

  it('of integers of 16 bits and exceptions is that of their values', () => {
    const { ofIntegers } = createHistograms()
    const one = fc.oneof(fc.nat(65_534), fc.nat(20), fc.constantFrom(8191, 8192, 0.5, -1, 65_535, Number.NaN))
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 300 }), (values) => {
        const isShort = (value: number) => Number.isInteger(value) && value >= 0 && value < 65_535
        const shorts = Uint16Array.from(values, (value) => (isShort(value) ? value : 65_535))
        const exceptions = Float64Array.from(values.filter((value) => !isShort(value)))
        const present = values.filter((value) => !Number.isNaN(value))
        const taken = ofIntegers(shorts, exceptions)
        expect(valuesOf(taken)).toEqual(present.sort(ascending))
        expect(taken.counted).toBe(present.filter(isShort).length)
      }),
    )
  })

  it('lists a short stretch in the memory of its owner, which stays as it is', () => {
    const values = Float64Array.from({ length: LISTED_LENGTH }, (_, i) => i)
    const { ofNumbers } = createHistograms()
    expect(ofNumbers({ values, length: LISTED_LENGTH }).others).toBe(values)
    ofNumbers({ values: new Float64Array(LISTED_LENGTH + 1).fill(3), length: LISTED_LENGTH + 1 })
    expect([...values]).toEqual([...values.keys()])
  })
})

describe('a counter', () => {
  const integers = fc.array(fc.oneof(fc.nat(65_535), fc.nat(3), fc.constantFrom(65_534, 65_535)), { maxLength: 300 })
  /** Repeats the values, so that the numbers take several parts. */
  const shortsOf = (values: readonly number[], times: number) =>
    Uint16Array.from({ length: values.length * times }, (_, i) => values[i % values.length]!)

  it('counts the integers of all parts, and sums them', () => {
    const counter = createCounter()
    fc.assert(
      fc.property(integers, fc.constantFrom(1, 2, 150, 300), (values, times) => {
        const { values: found, cumulative, sum } = counter.count(shortsOf(values, times))
        const counted = values.filter((value) => value < 65_535)
        const distinct = [...new Set(counted)].sort(ascending)
        expect([...found]).toEqual(distinct)
        expect([...cumulative]).toEqual(distinct.map((most) => times * counted.filter((value) => value <= most).length))
        expect(sum).toBe(times * counted.reduce((a, b) => a + b, 0))
      }),
      { numRuns: runs(100) },
    )
  })

  it('counts those that are at least a number', () => {
    const counter = createCounter()
    const least = fc.oneof(fc.nat(70_000), fc.constantFrom(-1, 0, 1, 0.5, 2.5, 65_534, 65_535, 65_536, Number.NaN))
    fc.assert(
      fc.property(integers, least, fc.constantFrom(1, 300), (values, limit, times) => {
        const expected = times * values.filter((value) => value >= limit).length
        expect(counter.countAtLeast(shortsOf(values, times), limit)).toBe(expected)
      }),
      { numRuns: runs(100) },
    )
  })
})
