import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortNumbers } from '../../../../src/engine/execute/columns/sort-numbers.js'
import { runs } from '../../../support/runs.js'

const ascending = (a: number, b: number) => a - b || Number(Object.is(b, -0)) - Number(Object.is(a, -0))

describe('numbers', () => {
  it('that differ in their lower halves only are sorted too', () => {
    const numbers = Float64Array.from({ length: 5_000 }, (_, i) => 3 + ((i * 7919) % 5_000) * 2 ** -51)
    expect(sortNumbers(numbers.slice())).toEqual(numbers.slice().sort())
  })

  const number = fc.oneof(
    fc.double({ noNaN: true }),
    fc.integer({ min: -3, max: 300 }),
    // Numbers near 1: most differ in their lower halves only.
    fc.integer({ min: -2000, max: 2000 }).map((i) => 1 + i * 2 ** -50),
    fc.constantFrom(0, -0, 1e-320, 5e-324, -5e-324, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  )

  it('are sorted, whether they are few or many', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200 }), fc.constantFrom(1, 2, 1000), (some, times) => {
        const numbers = Float64Array.from({ length: some.length * times }, (_, i) => some[i % some.length]!)
        const sorted = sortNumbers(numbers.slice())
        expect(sorted.length).toBe(numbers.length)
        const expected = [...numbers].sort(ascending)
        const wrong = expected.findIndex((value, i) => !Object.is(value, sorted[i]))
        expect([wrong, expected[wrong], sorted[wrong]]).toEqual([-1, undefined, undefined])
      }),
      { numRuns: runs(100) },
    )
  })
})
