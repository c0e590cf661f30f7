import type { Accumulator } from './accumulator.js'

export interface CountState {
  count: number
}

/** Adds up how many rows there are; what counts as a row is the caller's affair. */
export const countAccumulator: Accumulator<number, CountState> = {
  create: () => ({ count: 0 }),
  update(state, rows) {
    state.count += rows
  },
  merge(into, from) {
    into.count += from.count
  },
  bytes: () => 16,
}
