import type { Accumulator, Numbers } from './accumulator.js'

/**
 * A sum in twice the precision of a double (`sum + error`), and apart from it, scaled down, the values so large
 * that a sum of them could overflow.
 */
export interface MeanState {
  count: number
  sum: number
  error: number
  largeSum: number
  largeError: number
}

const LARGE = 2 ** 900
const LARGE_SCALE = 2 ** 100

/**
 * The arithmetic mean, right within 1e-12 of its size also where values of both signs cancel: Knuth's two-sum carries
 * the rounding error of each addition along.
 */
export const meanAccumulator: Accumulator<Numbers, MeanState> = {
  create: () => ({ count: 0, sum: 0, error: 0, largeSum: 0, largeError: 0 }),
  update(state, { values, length }) {
    let { sum, error } = state
    for (let i = 0; i < length; i++) {
      const value = values[i]!
      if (value >= LARGE || value <= -LARGE) {
        addLarge(state, value / LARGE_SCALE, 0)
        continue
      }
      const next = sum + value
      const part = next - sum
      error += sum - (next - part) + (value - part)
      sum = next
    }
    state.count += length
    state.sum = sum
    state.error = error
  },
  merge(into, from) {
    const next = into.sum + from.sum
    into.error += from.error + twoSumError(into.sum, from.sum, next)
    into.sum = next
    into.count += from.count
    addLarge(into, from.largeSum, from.largeError)
  },
}

function addLarge(state: MeanState, value: number, error: number): void {
  const next = state.largeSum + value
  state.largeError += error + twoSumError(state.largeSum, value, next)
  state.largeSum = next
}

/** What `a + b = sum` lost by rounding. */
function twoSumError(a: number, b: number, sum: number): number {
  const part = sum - a
  return a - (sum - part) + (b - part)
}

/** The mean, or null where there was no value. */
export function meanOf({ count, sum, error, largeSum, largeError }: MeanState): number | null {
  if (count === 0) return null
  if (largeSum === 0 && largeError === 0) return (sum + error) / count
  return ((largeSum + largeError) / count) * LARGE_SCALE + (sum + error) / count
}
