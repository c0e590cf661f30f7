import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extremesAccumulator } from '../../../../src/engine/execute/accumulators/extremes.js'
import { cut, mergedStateOf, numbers, stateOf } from '../../store/support.js'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)

describe('the extremes', () => {
  it('are the least and the greatest value, in one state or in merged ones', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), fc.array(fc.nat(20)), (values, places) => {
        const expected = { min: Math.min(...values), max: Math.max(...values) }
        const parts = cut(values, places).map(numbers)
        expect(stateOf(extremesAccumulator, ...parts)).toEqual(expected)
        expect(mergedStateOf(extremesAccumulator, parts)).toEqual(expected)
      }),
    )
  })

  it('are infinite the other way round where there was no value', () => {
    const empty = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
    expect(stateOf(extremesAccumulator, numbers([]))).toEqual(empty)
    expect(mergedStateOf(extremesAccumulator, [numbers([]), numbers([])])).toEqual(empty)
  })

  it.each([
    [[5e-324, 0]],
    [[-1.7976931348623157e308, 1.7976931348623157e308]],
    [[-3, -2]],
    [[7, 7]],
  ])('are exact: %j', (values) => {
    expect(stateOf(extremesAccumulator, numbers(values))).toEqual({
      min: Math.min(...values),
      max: Math.max(...values),
    })
  })

  it('a merge leaves what is merged as it is', () => {
    const [into, from] = [stateOf(extremesAccumulator, numbers([1])), stateOf(extremesAccumulator, numbers([-2, 5]))]
    extremesAccumulator.merge(into, from)
    expect([into, from]).toEqual([
      { min: -2, max: 5 },
      { min: -2, max: 5 },
    ])
    extremesAccumulator.update(into, numbers([9]))
    expect(from.max).toBe(5)
  })
})
