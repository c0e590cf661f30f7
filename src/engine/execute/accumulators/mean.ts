import { bytesOfArray } from '../columns/value-bytes.js'
import type { Accumulator } from './accumulator.js'
import type { Histogram } from './histogram.js'

/** The exact sum of all values, as a few doubles that do not overlap: `sum + error + rest[0] + rest[1] + …`. */
export interface MeanState {
  count: number
  sum: number
  error: number
  rest: number[]
  /** The sum, scaled down, of the values that are so large that their sum could overflow. */
  large: number[]
}

const LARGE = 2 ** 900
const LARGE_SCALE = 2 ** 100

/**
 * The arithmetic mean of an exact sum, which is also right if values of both signs and any size cancel out. Knuth's
 * two-sum carries along the rounding error of each addition. The errors nearly always add up without rounding.
 */
export const meanAccumulator: Accumulator<Histogram, MeanState> = {
  create: () => ({ count: 0, sum: 0, error: 0, rest: [], large: [] }),
  update(state, histogram) {
    const { length, counted, integers, others } = histogram
    // The sum of counted integers is exact: the sum is far below 2^53.
    if (integers !== undefined) addExactly(state.rest, integers.sum)
    let { sum, error } = state
    for (let i = 0; i < length - counted; i++) {
      const value = others[i]
      if (value >= LARGE || value <= -LARGE) {
        addExactly(state.large, value / LARGE_SCALE)
        continue
      }
      const nextSum = sum + value
      const lost = twoSumError(sum, value, nextSum)
      const nextError = error + lost
      const lostAgain = twoSumError(error, lost, nextError)
      if (lostAgain !== 0) addExactly(state.rest, lostAgain)
      sum = nextSum
      error = nextError
    }
    state.count += length
    state.sum = sum
    state.error = error
  },
  merge(into, from) {
    into.count += from.count
    if (from.sum !== 0) addExactly(into.rest, from.sum)
    if (from.error !== 0) addExactly(into.rest, from.error)
    for (const part of from.rest) addExactly(into.rest, part)
    for (const part of from.large) addExactly(into.large, part)
  },
  bytes: ({ rest, large }) => 160 + bytesOfArray(rest.length) + bytesOfArray(large.length),
}

/** Returns the rounding error of `a + b = sum` (D. Knuth, TAOCP 2, 4.2.2). */
function twoSumError(a: number, b: number, sum: number): number {
  const part = sum - a
  return a - (sum - part) + (b - part)
}

/** Adds to an expansion: doubles of ascending size that do not overlap and sum up exactly (J. R. Shewchuk, 1997). */
function addExactly(expansion: number[], value: number): void {
  let carried = value
  let kept = 0
  for (const part of expansion) {
    const sum = carried + part
    const lost = twoSumError(carried, part, sum)
    if (lost !== 0) expansion[kept++] = lost
    carried = sum
  }
  expansion.length = kept
  if (carried !== 0) expansion.push(carried)
}

/** Returns the mean, or null if there are no values. */
export function meanOf(state: MeanState): number | null {
  return totalOf(state, state.count)
}

/** Returns the sum, or null if there are no values or the sum is beyond the range of doubles. */
export function sumOf(state: MeanState): number | null {
  const sum = totalOf(state, 1)
  return sum !== null && Number.isFinite(sum) ? sum : null
}

/** Returns the sum divided by `divisor`, without an overflow on the way. */
function totalOf({ count, sum, error, rest, large }: MeanState, divisor: number): number | null {
  if (count === 0) return null
  const scale = large.some((part) => !Number.isFinite(part * LARGE_SCALE)) ? LARGE_SCALE : 1
  const total: number[] = []
  for (const part of [sum, error, ...rest]) addExactly(total, part / scale)
  for (const part of large) addExactly(total, part * (LARGE_SCALE / scale))
  return (total.reduceRight((a, b) => a + b, 0) / divisor) * scale
}
