import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyAccumulator,
  type EachValue,
  greatestAccumulator,
  joined,
  leastAccumulator,
  listAccumulator,
} from '../../../../src/engine/execute/accumulators/values.js'
import { MAX_VALUE_LENGTH } from '../../../../src/plan/functions/function.js'
import { compareAll, RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { cut, mergedStateOf, stateOf } from '../../store/support.js'

const each =
  (values: readonly Scalar[]): EachValue =>
  (visit) =>
    values.forEach(visit)
const value = fc.constantFrom<Scalar>(
  false,
  true,
  -1,
  0.5,
  2n ** 60n,
  '',
  'a',
  'ä',
  '\u{10000}',
  '\uffff',
  new Timestamp(3),
  new RawJson('{}'),
)
const parts = fc.tuple(fc.array(value, { maxLength: 20 }), fc.array(fc.nat(20), { maxLength: 3 }))

describe('the least and the greatest value', () => {
  it('are those of all in the order across types, however they are cut and merged', () => {
    fc.assert(
      fc.property(parts, ([values, places]) => {
        const sorted = values.toSorted(compareAll)
        const pieces = cut(values, places).map(each)
        for (const [accumulator, expected] of [
          [leastAccumulator, sorted[0]],
          [greatestAccumulator, sorted.at(-1)],
        ] as const) {
          expect(stateOf(accumulator, ...pieces).value).toEqual(expected)
          expect(mergedStateOf(accumulator, pieces).value).toEqual(expected)
        }
      }),
    )
  })
})

describe('any value', () => {
  it('is one of them, and none of none', () => {
    expect(stateOf(anyAccumulator, each([]), each([2, 1])).value).toBe(2)
    expect(mergedStateOf(anyAccumulator, [each([]), each([]), each(['b', 'a'])]).value).toBe('b')
    expect(mergedStateOf(anyAccumulator, [each([])]).value).toBeUndefined()
  })
})

describe('a list', () => {
  it('has every value, however it is cut and merged, up to its limit', () => {
    fc.assert(
      fc.property(parts, fc.constantFrom(0, 1, 5, Number.POSITIVE_INFINITY), ([values, places], limit) => {
        const pieces = cut(values, places).map(each)
        const expected = values.slice(0, limit)
        expect(stateOf(listAccumulator(limit), ...pieces).values).toEqual(expected)
        expect(mergedStateOf(listAccumulator(limit), pieces).values).toEqual(expected)
      }),
    )
  })

  it('leaves what is merged into it as it is', () => {
    const list = listAccumulator(9)
    const from = stateOf(list, each([1, 2]))
    const into = stateOf(list, each([0]))
    list.merge(into, from)
    list.update(into, each([3]))
    expect([into.values, from.values]).toEqual([
      [0, 1, 2, 3],
      [1, 2],
    ])
  })

  it('may take so many characters and no more, numbers and merged ones included', () => {
    const list = listAccumulator(Number.POSITIVE_INFINITY)
    const half = 'x'.repeat(MAX_VALUE_LENGTH / 2 - 10)
    const state = stateOf(list, each([half, half]))
    expect(list.bytes(state)).toBeGreaterThan(2 * MAX_VALUE_LENGTH - 100)
    const tooLong = expect.objectContaining({ code: 'too_much_memory' })
    expect(() => list.update(state, each([half]))).toThrow(tooLong)
    expect(() => list.merge(stateOf(list, each([half, half])), state)).toThrow(tooLong)
    expect(() => list.update(list.create(), each(Array(MAX_VALUE_LENGTH / 8 + 1).fill(1)))).toThrow(tooLong)
  })

  it('joined is a text of texts, and null without any', () => {
    const list = listAccumulator(Number.POSITIVE_INFINITY)
    expect(joined(stateOf(list, each(['a', 1.5, true, new Timestamp(0)])), '|')).toBe(
      'a|1.5|true|1970-01-01 00:00:00+00',
    )
    expect(joined(list.create(), '|')).toBeNull()
    const long = stateOf(list, each(['a', 'b', 'c']))
    expect(() => joined(long, 'x'.repeat(MAX_VALUE_LENGTH / 2))).toThrow(
      expect.objectContaining({ code: 'too_much_memory' }),
    )
  })
})

describe('the memory of a value', () => {
  it('grows with its text', () => {
    const bytes = (one: Scalar) => leastAccumulator.bytes(stateOf(leastAccumulator, each([one])))
    expect(bytes('x'.repeat(1_000))).toBeGreaterThanOrEqual(2_000)
    expect(bytes(1)).toBeLessThan(100)
    expect(leastAccumulator.bytes(leastAccumulator.create())).toBeLessThan(100)
  })
})
