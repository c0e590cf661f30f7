import { type CountedIntegers, type Counter, createCounter } from '../columns/counting.js'
import { EXCEPTION, type Numbers } from '../columns/numbers.js'

/**
 * The present values of a stretch of rows, in a form for sums, extremes and quantiles alike. In a long stretch the
 * small integers, such as most milliseconds, are counted, and the other values are listed.
 */
export interface Histogram {
  /** The number of values. */
  length: number
  /** The integers from 0 to below {@link EXCEPTION}, counted. Undefined if no value is counted. */
  integers: CountedIntegers | undefined
  /** The number of values that are counted. */
  counted: number
  /** The values that were not counted, `others[0 .. length - counted)`. The caller's array if no value was counted. */
  others: Float64Array
}

/** Makes histograms in reused memory: a histogram is valid until the next histogram is made. */
export interface HistogramMaker {
  /** Up to {@link LISTED_LENGTH} values share the memory of `values`. */
  ofNumbers(numbers: Numbers): Histogram
  /**
   * `exceptions` has a value, NaN if absent, for each placeholder {@link EXCEPTION} in `shorts`. Placeholders are never
   * counted.
   */
  ofIntegers(shorts: Uint16Array, exceptions: Float64Array): Histogram
}

/** A stretch of at most this many values is only listed: counting would save little, and listing is exact. */
export const LISTED_LENGTH = 1024

/** Returns a maker with its own memory. */
export function createHistograms(): HistogramMaker {
  let counter: Counter | undefined
  let others = new Float64Array(0)
  let shorts = new Uint16Array(0)

  function histogramOf(integers: Uint16Array, listed: number): Histogram {
    counter ??= createCounter()
    const found = counter.count(integers)
    const counted = found.cumulative.at(-1) ?? 0
    return { length: counted + listed, counted, integers: counted === 0 ? undefined : found, others }
  }

  return {
    ofNumbers({ values, length }) {
      if (length <= LISTED_LENGTH) return { length, counted: 0, integers: undefined, others: values }
      if (length > others.length) others = new Float64Array(length)
      if (length > shorts.length) shorts = new Uint16Array(length)
      const listed = split(values, length, shorts, others)
      return histogramOf(shorts.subarray(0, length - listed), listed)
    },
    ofIntegers(integers, exceptions) {
      if (exceptions.length > others.length) others = new Float64Array(exceptions.length)
      return histogramOf(integers, listPresent(exceptions, others))
    },
  }
}

// Long loops are separate functions: V8 compiles a loop while the loop runs, without the code after the loop, which has
// not run yet, and keeps the compiled code. A longer function was deoptimized after its loop at each call, and started
// slowly again.

/** Lists the values that are not NaN. Returns their number. */
function listPresent(values: Float64Array, others: Float64Array): number {
  let listed = 0
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) others[listed++] = values[i]
  return listed
}

/** Lists the small integers and the other values apart. Returns the number of the other values. */
function split(values: Float64Array, length: number, shorts: Uint16Array, others: Float64Array): number {
  let listed = 0
  for (let i = 0; i < length; i++) {
    const value = values[i]
    const short = value & 0xffff
    if (short === value && short !== EXCEPTION) shorts[i - listed] = short
    else others[listed++] = value
  }
  return listed
}
