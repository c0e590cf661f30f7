import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteReader } from '../../../../src/base/memory/byte-reader.js'
import { ByteWriter } from '../../../../src/base/memory/byte-writer.js'
import {
  type QuantileState,
  quantileAccumulator,
  quantileOf,
} from '../../../../src/engine/execute/accumulators/quantile.js'
import { MAX_QUANTILE_BYTES, quantileCodec } from '../../../../src/engine/execute/accumulators/quantile-codec.js'
import { runs } from '../../../support/runs.js'
import { manyNumbers, stateOf } from '../../store/support.js'
import { arbitrarySample, DISTRIBUTIONS, draw, type Sample } from './distributions.js'

const PERCENTS = [0, 0.1, 1, 5, 25, 50, 75, 90, 95, 99, 99.9, 100]

/** Writes a state, and reads the bytes. */
function stored(state: QuantileState): QuantileState {
  const out = new ByteWriter()
  quantileCodec.write(state, out)
  expect(out.length).toBeLessThanOrEqual(MAX_QUANTILE_BYTES)
  return quantileCodec.read(new ByteReader(out.copy()))
}

const stateOfValues = (values: Float64Array) => stateOf(quantileAccumulator, manyNumbers(values))

/** How far the rank of each quantile is from its place among sorted values, in points. Equal values share ranks. */
function rankErrors(state: QuantileState, sorted: Float64Array): number[] {
  return PERCENTS.map((percent) => {
    const value = quantileOf(state, percent)!
    const rank = Math.max(1, Math.ceil((percent * sorted.length) / 100))
    const first = sorted.findIndex((other) => other >= value) + 1
    const last = sorted.findLastIndex((other) => other <= value) + 1
    expect(sorted[first - 1]! + 0).toBe(value + 0)
    return (100 * Math.max(0, first - rank, rank - last)) / sorted.length
  })
}

describe('quantiles of states that were stored', () => {
  it('are exact up to 100 values, however they are cut, stored and merged', () => {
    const lists = fc.array(arbitrarySample(0, 25), { maxLength: 4 })
    fc.assert(
      fc.property(lists, (samples) => {
        const parts = samples.map(draw)
        const sorted = Float64Array.from(parts.flatMap((part) => [...part])).sort()
        const merged = quantileAccumulator.create()
        for (const part of parts) quantileAccumulator.merge(merged, stored(stateOfValues(part)))
        const state = stored(stored(merged))
        if (sorted.length === 0) expect(quantileOf(state, 50)).toBeNull()
        else expect(Math.max(...rankErrors(state, sorted))).toBe(0)
      }),
    )
  })

  it('leave the stored state as it was', () => {
    const state = stateOfValues(draw({ distribution: 'uniform', order: 'drawn', length: 70_000, seed: 1 }))
    const before = structuredClone(state)
    stored(state)
    expect(state).toEqual(before)
  })

  it('are within 0.2 points of rank of any sample', () => {
    fc.assert(
      fc.property(arbitrarySample(1, 20_000), (sample) => {
        const values = draw(sample)
        expect(Math.max(...rankErrors(stored(stateOfValues(values)), values.sort()))).toBeLessThan(0.2)
      }),
      { numRuns: runs(100) },
    )
  })

  /** The largest error of values that come in `merges` parts, each merged with the stored state of all before. */
  function errorOf(distribution: string, order: Sample['order'], merges: number, perMerge: number): number {
    const values = draw({ distribution, order, length: merges * perMerge, seed: perMerge })
    let state = quantileAccumulator.create()
    for (let from = 0; from < values.length; from += perMerge) {
      quantileAccumulator.merge(state, stored(stateOfValues(values.slice(from, from + perMerge))))
      state = stored(state)
    }
    return Math.max(...rankErrors(state, values.sort()))
  }

  it.each(Object.keys(DISTRIBUTIONS))('are within 0.3 points after many merges: %s', (distribution) => {
    const merges = runs(1_000)
    for (const perMerge of [3, 80]) expect(errorOf(distribution, 'drawn', merges, perMerge)).toBeLessThan(0.3)
    for (const order of ['ascending', 'descending'] as const)
      expect(errorOf(distribution, order, merges, 80)).toBeLessThan(0.3)
  })

  it.each(['uniform', 'log-normal', 'both signs'])('are within 0.4 points of states that were digested: %s', (name) => {
    const values = draw({ distribution: name, order: 'drawn', length: 300_000, seed: 5 })
    let state = quantileAccumulator.create()
    for (let from = 0; from < values.length; from += 10_000) {
      const part = stateOfValues(values.slice(from, from + 10_000))
      quantileAccumulator.shrink!(part)
      quantileAccumulator.merge(state, stored(part))
      state = stored(state)
    }
    expect(Math.max(...rankErrors(state, values.sort()))).toBeLessThan(0.4)
  })

  it('are within 0.3 points after a thousand merges', () => {
    expect(errorOf('log-normal', 'drawn', 1_000, 20)).toBeLessThan(0.3)
  })
})
