import type { Accumulator } from './accumulator.js'

/** The number of rows so far. */
export interface CountState {
  count: number
}

/** Sums numbers of rows. The caller decides which rows count. */
export const countAccumulator: Accumulator<number, CountState> = {
  create: () => ({ count: 0 }),
  update(state, rows) {
    state.count += rows
  },
  merge(into, from) {
    into.count += from.count
  },
  bytes: () => 32,
}
