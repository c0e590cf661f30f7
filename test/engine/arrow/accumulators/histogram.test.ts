import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countIntegers,
  countNumbers,
  createHistogram,
  type Histogram,
  LISTED_LENGTH,
  sumOfIntegers,
} from '../../../../src/engine/arrow/accumulators/histogram.js'

const value = fc.oneof(
  fc.integer({ min: -3, max: 9000 }),
  fc.constantFrom(0, 8191, 8192, 0.5, 1e300, -0),
  fc.double({ noNaN: true }),
)

/** Returns every value of a histogram, ascending; zeros without their sign. */
function valuesOf({ length, counted, integers, others }: Histogram): number[] {
  const listed = [...others.subarray(0, length - counted)]
  const counts = counted > 0 ? [...integers.subarray(0, 8192)] : []
  return [...listed, ...counts.flatMap((count, integer) => Array<number>(count).fill(integer))]
    .map(plain)
    .sort(ascending)
}

const plain = (value: number) => value + 0
const ascending = (a: number, b: number) => a - b

describe('a tally', () => {
  it('has every value once, counted or listed, whatever was tallied in its memory before', () => {
    const histogram = createHistogram()
    const many = fc.array(value, { minLength: 1, maxLength: 3000 })
    fc.assert(
      fc.property(many, (values) => {
        const taken = countNumbers(histogram, {
          values: Float64Array.of(...values, 7, Number.NaN),
          length: values.length,
        })
        expect(valuesOf(taken)).toEqual(values.map(plain).sort(ascending))
        const small = values.filter((value) => Number.isInteger(value) && value >= 0 && value < 8192)
        expect(taken.counted).toBe(values.length > LISTED_LENGTH ? small.length : 0)
        if (taken.counted > 0) expect(sumOfIntegers(taken)).toBe(small.reduce((a, b) => a + b))
      }),
    )
  })

  it('of integers of 16 bits and exceptions is that of their values', () => {
    const histogram = createHistogram()
    const one = fc.oneof(fc.nat(65_534), fc.nat(20), fc.constantFrom(8191, 8192, 0.5, -1, 65_535, Number.NaN))
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 300 }), (values) => {
        const isShort = (value: number) => Number.isInteger(value) && value >= 0 && value < 65_535
        const shorts = Uint16Array.from(values, (value) => (isShort(value) ? value : 65_535))
        const exceptions = Float64Array.from(values.filter((value) => !isShort(value)))
        const present = values.filter((value) => !Number.isNaN(value))
        const taken = countIntegers(histogram, shorts, exceptions)
        expect(valuesOf(taken)).toEqual(present.sort(ascending))
        expect(taken.counted).toBe(present.filter((value) => isShort(value) && value < 8192).length)
      }),
    )
  })

  it('lists a short stretch in the memory of its owner, which stays as it is', () => {
    const values = Float64Array.from({ length: LISTED_LENGTH }, (_, i) => i)
    const histogram = createHistogram()
    expect(countNumbers(histogram, { values, length: LISTED_LENGTH }).others).toBe(values)
    countNumbers(histogram, { values: new Float64Array(LISTED_LENGTH + 1).fill(3), length: LISTED_LENGTH + 1 })
    expect([...values]).toEqual([...values.keys()])
  })
})
