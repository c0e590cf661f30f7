import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader } from '../../../../src/base/memory/byte-reader.js'
import { ByteWriter } from '../../../../src/base/memory/byte-writer.js'
import type { Accumulator } from '../../../../src/engine/execute/accumulators/accumulator.js'
import { codecOf } from '../../../../src/engine/execute/accumulators/codecs.js'
import { countAccumulator } from '../../../../src/engine/execute/accumulators/count.js'
import {
  distinctAccumulator,
  distinctOf,
  sketchAccumulator,
} from '../../../../src/engine/execute/accumulators/distinct.js'
import { extremesAccumulator } from '../../../../src/engine/execute/accumulators/extremes.js'
import { meanAccumulator, meanOf, sumOf } from '../../../../src/engine/execute/accumulators/mean.js'
import type { StateCodec } from '../../../../src/engine/execute/accumulators/state-codec.js'
import type { EachCount } from '../../../../src/engine/execute/accumulators/value-counts.js'
import {
  greatestAccumulator,
  leastAccumulator,
  listAccumulator,
} from '../../../../src/engine/execute/accumulators/values.js'
import { numberOf, RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { numbers, stateOf } from '../../store/support.js'

const value = fc.oneof(
  { weight: 3, arbitrary: fc.integer() },
  { weight: 3, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Scalar>(
      ...[0, -0, 1e308, -1e308, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 1e-320, 0.1, 10n ** 17n, 2n ** 64n - 1n],
      ...['NaN', 'Infinity', '', '7', '1e400', '__proto__', 'constructor', '…', true, false, null],
      ...[new Timestamp(1), new Timestamp(2n ** 55n), new RawJson('{"a":1}'), [1, null, ['a']]],
    ),
  },
)
/** The values of some parts, which are folded separately. */
const parts = fc.array(fc.array(value, { maxLength: 12 }), { maxLength: 5 })

const histogramOf = (values: readonly Scalar[]) => numbers(values.flatMap((value) => numberOf(value) ?? []).map(Number))
const each =
  (values: readonly Scalar[]): EachCount =>
  (visit) => {
    for (const value of values) if (value !== null) visit(value, 1)
  }

/** Writes a state, and reads the bytes. The written state must stay as it was. */
function stored<State>(accumulator: Accumulator<never, State>, state: State): { state: State; bytes: number } {
  const codec = codecOf(accumulator as never) as unknown as StateCodec<State>
  const [out, before] = [new ByteWriter(), structuredClone(state)]
  codec.write(state, out)
  expect(state).toEqual(before)
  const reader = new ByteReader(out.copy())
  const read = codec.read(reader)
  expect(reader.isAtEnd).toBe(true)
  return { state: read, bytes: out.length }
}

/** Expects equal results of merged states, whether or not the states were stored before, and after. */
function expectEqual<Input, State>(
  accumulator: Accumulator<Input, State>,
  inputs: readonly Input[],
  resultOf: (state: State) => unknown,
) {
  const states = inputs.map((input) => stateOf(accumulator, input))
  const merged = (of: (state: State, i: number) => State) => {
    const into = accumulator.create()
    for (const [i, state] of states.entries()) accumulator.merge(into, of(state, i))
    return into
  }
  const plain = merged((state) => state)
  const afterReading = merged((state) => stored(accumulator, state).state)
  const mixed = merged((state, i) => (i % 2 === 0 ? stored(accumulator, state).state : state))
  for (const state of [afterReading, mixed, stored(accumulator, plain).state])
    expect(resultOf(state)).toStrictEqual(resultOf(plain))
  // Rows that come later are added to a state that was read.
  const [first, ...others] = inputs
  if (first === undefined) return
  const continued = stored(accumulator, stateOf(accumulator, first)).state
  for (const input of others) accumulator.update(continued, input)
  expect(resultOf(continued)).toStrictEqual(resultOf(stateOf(accumulator, ...inputs)))
}

const rowsOf = (lists: readonly (readonly Scalar[])[]) => lists.map((list) => list.length)

describe('states that were stored merge like states that were not', () => {
  it('count, also beyond 2^32 rows', () => {
    fc.assert(fc.property(parts, (lists) => expectEqual(countAccumulator, rowsOf(lists), (state) => state)))
    const many = 2 ** 53 - 1
    expect(stored(countAccumulator, { count: many }).state).toEqual({ count: many })
  })

  it('least and greatest number', () => {
    fc.assert(fc.property(parts, (lists) => expectEqual(extremesAccumulator, lists.map(histogramOf), (state) => state)))
  })

  it('least and greatest value of any type', () => {
    fc.assert(
      fc.property(parts, (lists) => {
        for (const accumulator of [leastAccumulator, greatestAccumulator])
          expectEqual(accumulator, lists.map(each), (state) => state)
      }),
    )
  })

  it('sum and mean, to the last bit', () => {
    fc.assert(
      fc.property(parts, (lists) =>
        expectEqual(meanAccumulator, lists.map(histogramOf), (state) => [sumOf(state), meanOf(state)]),
      ),
    )
  })

  it('number of distinct values, few and many', () => {
    const mixed = parts.map((lists) => lists.map((list) => each(list)))
    fc.assert(fc.property(mixed, (inputs) => expectEqual(sketchAccumulator, inputs, (state) => state)))
    const range = (from: number, to: number) => each(Array.from({ length: to - from }, (_, i) => `user ${from + i}`))
    for (const ends of [
      [0, 900, 1_100],
      [0, 1_000, 1_001],
      [0, 5_000, 5_010],
      [0, 10, 4_000],
    ]) {
      const inputs = ends.slice(1).map((end, i) => range(ends[i]!, end))
      expectEqual(sketchAccumulator, inputs, (state) => state)
      const count = distinctOf(stored(sketchAccumulator, stateOf(sketchAccumulator, ...inputs)).state)
      expect(Math.abs(count / ends.at(-1)! - 1)).toBeLessThan(0.03)
    }
  })
})

it('states without a bound of size have no codec', () => {
  expect(codecOf(distinctAccumulator as never)).toBeUndefined()
  expect(codecOf(listAccumulator(3) as never)).toBeUndefined()
})

it('every codec has a name of its own, with a version', () => {
  const accumulators = [
    countAccumulator,
    extremesAccumulator,
    leastAccumulator,
    greatestAccumulator,
    meanAccumulator,
    sketchAccumulator,
  ]
  const names = accumulators.map((accumulator) => codecOf(accumulator as never)!.name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+ \d+$/)
})
