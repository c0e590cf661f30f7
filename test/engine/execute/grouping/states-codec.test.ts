import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../src/base/memory/byte-writer.js'
import type { Accumulator } from '../../../../src/engine/execute/accumulators/accumulator.js'
import { codecOf } from '../../../../src/engine/execute/accumulators/codecs.js'
import { createAggregation, createStates, mergeStates } from '../../../../src/engine/execute/grouping/aggregate.js'
import { createStatesCodec } from '../../../../src/engine/execute/grouping/states-codec.js'
import type { Aggregate } from '../../../../src/plan/aggregates.js'
import { atLeast, count, countWhere, max, mean, min, quantile } from '../../../../src/plan/builder.js'
import { column } from '../../../../src/plan/expression.js'
import { noYield } from '../../store/support.js'

const aggregationOf = (...aggregates: readonly Aggregate[]) =>
  createAggregation(
    aggregates.map((value, i) => ({ name: `a${i}`, value })),
    (expression) => expression.kind === 'column' && expression.name === 'stored',
  )

/** The bytes of one state. */
function hexOf(accumulator: Accumulator<never, never>, state: object): string {
  const out = new ByteWriter()
  codecOf(accumulator)!.write(state as never, out)
  return out.copy().toString('hex')
}

const SUM: Aggregate = { fn: 'sum', args: [column('x')] }

describe('the codec of an aggregation', () => {
  it('has the kinds of the states in order, of which some serve two aggregates', () => {
    const aggregation = aggregationOf(
      ...[count(), countWhere(atLeast('x', 1)), mean('x'), SUM],
      ...[min('stored'), max('stored'), min('x'), max('x'), quantile('x', 50)],
      { fn: 'approx_count_distinct', args: [column('x')] } as Aggregate,
    )
    expect(createStatesCodec(aggregation).names).toEqual([
      'count 1',
      'count 1',
      'mean 1',
      'extremes 1',
      'least 1',
      'greatest 1',
      'quantile 1',
      'sketch 1',
    ])
  })

  it('reads what it wrote', () => {
    const aggregation = aggregationOf(count(), mean('x'), min('x'))
    const [codec, states] = [createStatesCodec(aggregation), createStates(aggregation)]
    Object.assign(states[0] as object, { count: 3 })
    Object.assign(states[1] as object, { count: 2, rest: [0.5], large: [2 ** 800] })
    Object.assign(states[2] as object, { value: '__proto__' })
    const read = codec.read(codec.write(states))
    expect(read).toEqual(states)
    mergeStates(aggregation, read, states, noYield)
    expect(read[0]).toEqual({ count: 6 })
    expect(states[0]).toEqual({ count: 3 })
  })

  it('writes the same bytes in every version, or has other names', () => {
    const distinct: Aggregate = { fn: 'approx_count_distinct', args: [column('x')] }
    const aggregation = aggregationOf(count(), mean('x'), min('stored'), min('x'), quantile('x', 50), distinct)
    const codec = createStatesCodec(aggregation)
    const weighted = { values: Float64Array.of(1, 2), cumulative: Float64Array.of(1, 300) }
    const written = [
      { count: 300 },
      { count: 2, sum: 1, error: 0, rest: [0.5], large: [2 ** 800] },
      { min: 1, max: 2 },
      { value: 'ä' },
      { pending: Float64Array.of(1.5, 9), pendingCount: 1, runs: [], runCount: 0, digests: [weighted] },
      { hashes: new Set([300, 5]), registers: undefined },
    ].map((state, i) => ({ name: codec.names[i], hex: hexOf(aggregation.folds[i]!.accumulator, state) }))
    expect(written).toEqual([
      { name: 'count 1', hex: 'ac02' },
      { name: 'mean 1', hex: '020101000000000000f03f0000000000000000000000000000e03f000000000000f071' },
      { name: 'extremes 1', hex: '000000000000f03f0000000000000040' },
      { name: 'least 1', hex: '010802c3a4' },
      { name: 'quantile 1', hex: '0103000000000000f03f000000000000f83f00000000000000400101ab02' },
      { name: 'sketch 1', hex: '000205a702' },
    ])
  })

  it('does not accept other bytes', () => {
    const codec = createStatesCodec(aggregationOf(count()))
    expect(() => codec.read(Buffer.of(1, 2))).toThrow(RangeError)
    expect(() => codec.read(Buffer.of())).toThrow(RangeError)
  })

  it('does not exist for states without a bound', () => {
    const distinct = { fn: 'count_distinct', args: [column('x')] } as Aggregate
    expect(() => createStatesCodec(aggregationOf(count(), distinct))).toThrow(
      /The states of distinct .* cannot be stored/,
    )
  })
})
