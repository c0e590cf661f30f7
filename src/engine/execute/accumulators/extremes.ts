import type { Accumulator } from './accumulator.js'
import type { Histogram } from './histogram.js'

/** The least and the greatest value so far, Infinity and -Infinity without values. */
export interface ExtremesState {
  min: number
  max: number
}

/** Finds the least and the greatest value. */
export const extremesAccumulator: Accumulator<Histogram, ExtremesState> = {
  create: () => ({ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }),
  update(state, { length, counted, integers, others }) {
    let { min, max } = state
    if (integers !== undefined) {
      min = Math.min(min, integers.values[0])
      max = Math.max(max, integers.values.at(-1)!)
    }
    for (let i = 0; i < length - counted; i++) {
      const value = others[i]
      if (value < min) min = value
      if (value > max) max = value
    }
    state.min = min
    state.max = max
  },
  merge(into, from) {
    if (from.min < into.min) into.min = from.min
    if (from.max > into.max) into.max = from.max
  },
  bytes: () => 72,
}
