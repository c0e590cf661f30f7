import type { Accumulator, Numbers } from './accumulator.js'

/** Infinity and -Infinity while there was no value. */
export interface ExtremesState {
  min: number
  max: number
}

/** The least and the greatest value. */
export const extremesAccumulator: Accumulator<Numbers, ExtremesState> = {
  create: () => ({ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }),
  update(state, { values, length }) {
    let { min, max } = state
    for (let i = 0; i < length; i++) {
      const value = values[i]!
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
}
