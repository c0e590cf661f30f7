import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { Accumulator } from '../../../../src/engine/execute/accumulators/accumulator.js'
import { countAccumulator } from '../../../../src/engine/execute/accumulators/count.js'
import { distinctAccumulator, sketchAccumulator } from '../../../../src/engine/execute/accumulators/distinct.js'
import { extremesAccumulator } from '../../../../src/engine/execute/accumulators/extremes.js'
import { createHistograms } from '../../../../src/engine/execute/accumulators/histogram.js'
import { meanAccumulator } from '../../../../src/engine/execute/accumulators/mean.js'
import { quantileAccumulator } from '../../../../src/engine/execute/accumulators/quantile.js'
import { shareAccumulator } from '../../../../src/engine/execute/accumulators/share.js'
import {
  type EachValue,
  leastAccumulator,
  listAccumulator,
} from '../../../../src/engine/execute/accumulators/values.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const STATES = 20_000
const MEASUREMENTS = 5

/** Memory of this process in use after garbage collections. The second collection frees buffers of the first. */
async function usedBytes(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    collect()
    await setTimeout(5)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Real memory of a state, and the estimate of the accumulator, each in bytes on average. */
async function measured<Input, State>(accumulator: Accumulator<Input, State>, inputOf?: (state: number) => Input) {
  const states = new Array<State>(STATES)
  const before = await usedBytes()
  for (let i = 0; i < STATES; i++) {
    const state = accumulator.create()
    if (inputOf !== undefined) accumulator.update(state, inputOf(i))
    accumulator.shrink?.(state)
    states[i] = state
  }
  const real = ((await usedBytes()) - before) / STATES
  const estimate = states.reduce((sum, state) => sum + accumulator.bytes(state), 0) / STATES
  return { real, estimate }
}

const histograms = createHistograms()
const numbers = (count: number) => (state: number) =>
  histograms.ofNumbers({ values: Float64Array.from({ length: count }, (_, i) => state + i + 0.5), length: count })
const texts =
  (count: number) =>
  (state: number): EachValue =>
  (visit) => {
    for (let i = 0; i < count; i++) visit(Buffer.from(`text ${state} ${i}`).toString())
  }

describe('the memory of states is at most half as much again as the estimate', () => {
  it.each([
    ['count', () => measured(countAccumulator, () => 1)],
    ['share', () => measured(shareAccumulator, () => ({ passing: 1, rows: 2 }))],
    ['extremes', () => measured(extremesAccumulator, numbers(1))],
    ['mean', () => measured(meanAccumulator, numbers(3))],
    ['quantile without values', () => measured(quantileAccumulator)],
    ['quantile of one value', () => measured(quantileAccumulator, numbers(1))],
    ['quantile of 100 values', () => measured(quantileAccumulator, numbers(100))],
    ['distinct without values', () => measured(distinctAccumulator)],
    ['distinct of one value', () => measured(distinctAccumulator, texts(1))],
    ['distinct of 20 values', () => measured(distinctAccumulator, texts(20))],
    ['sketch of one value', () => measured(sketchAccumulator, texts(1))],
    ['sketch of 20 values', () => measured(sketchAccumulator, texts(20))],
    ['least text', () => measured(leastAccumulator, texts(1))],
    ['list of one text', () => measured(listAccumulator(Number.POSITIVE_INFINITY), texts(1))],
    ['list of 20 texts', () => measured(listAccumulator(Number.POSITIVE_INFINITY), texts(20))],
  ])('%s', async (_, measure) => {
    // Memory of other code is part of a measurement, in either direction: most of it compiles in the first.
    const measurements = []
    for (let i = 0; i < MEASUREMENTS; i++) measurements.push(await measure())
    const { real, estimate } = measurements.sort((a, b) => a.real - b.real)[Math.floor(MEASUREMENTS / 2)]!
    expect(estimate / real).toBeGreaterThan(2 / 3)
    expect(estimate / real).toBeLessThan(3)
  })
})
