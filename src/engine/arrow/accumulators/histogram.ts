import { EXCEPTION, type Numbers } from '../columns/numbers.js'

/**
 * The present values of a stretch of rows, as sums, extremes and quantiles all read them. In a long stretch the small
 * integers, such as most milliseconds, are counted; the other values are listed.
 */
export interface Histogram {
  /** The number of values. */
  length: number
  /** The number of values that are counted. If it is 0, `integers`, `least` and `greatest` are undefined memory. */
  counted: number
  /** The count of each integer below {@link COUNTED_INTEGERS}. */
  integers: Uint32Array
  /** The least integer that was counted. */
  least: number
  /** The greatest integer that was counted. */
  greatest: number
  /** The values that were not counted, `others[0 .. length - counted)`; the caller's array if none was counted. */
  others: Float64Array
}

/** A stretch of at most this many values is only listed: counting would save little, and listing is exact. */
export const LISTED_LENGTH = 1024
/** Integers from 0 to below this are counted. */
export const COUNTED_INTEGERS = 8192

/** Creates an empty histogram, whose memory is reused from stretch to stretch. */
export function createHistogram(): Histogram {
  // The last element counts all other values.
  const integers = new Uint32Array(COUNTED_INTEGERS + 1)
  return { length: 0, counted: 0, integers, least: 0, greatest: 0, others: new Float64Array(0) }
}

/**
 * Fills a histogram with numbers, reusing its memory. Up to {@link LISTED_LENGTH} values share the memory of
 * `values`.
 */
export function countNumbers(histogram: Histogram, { values, length }: Numbers): Histogram {
  if (length <= LISTED_LENGTH) return { ...histogram, length, counted: 0, others: values }
  if (length > histogram.others.length) histogram.others = new Float64Array(length)
  histogram.length = length
  histogram.counted = length - count(histogram, values)
  if (histogram.counted > 0) findEnds(histogram)
  return histogram
}

/**
 * Fills a histogram with 16-bit integers, reusing its memory. `shorts` has the placeholder {@link EXCEPTION}, which is
 * never counted, for each of the `exceptions`, whose values are NaN if absent.
 */
export function countIntegers(histogram: Histogram, shorts: Uint16Array, exceptions: Float64Array): Histogram {
  if (shorts.length > histogram.others.length) histogram.others = new Float64Array(shorts.length)
  const { integers, others } = histogram
  countShorts(integers, shorts)
  const uncounted = integers[COUNTED_INTEGERS]!
  let listed = listPresent(exceptions, others)
  if (uncounted > exceptions.length) listed = listLarge(shorts, others, listed)
  histogram.counted = shorts.length - uncounted
  histogram.length = histogram.counted + listed
  if (histogram.counted > 0) findEnds(histogram)
  return histogram
}

// Long loops are separate functions: V8 compiles a loop while it runs, without the code after it, which has
// not run yet, and keeps that code. A longer function was deoptimized after its loop at each call, and
// started slowly again.

function countShorts(integers: Uint32Array, shorts: Uint16Array): void {
  integers.fill(0)
  // A local constant instead of Math.min takes two thirds of the time.
  const most = COUNTED_INTEGERS
  for (let i = 0; i < shorts.length; i++) {
    const short = shorts[i]!
    integers[short < most ? short : most]!++
  }
}

/** Lists the values that are not NaN. Returns their number. */
function listPresent(values: Float64Array, others: Float64Array): number {
  let listed = 0
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) others[listed++] = values[i]!
  return listed
}

/** Appends the integers that are too large to be counted to the list. Returns its new length. */
function listLarge(shorts: Uint16Array, others: Float64Array, listed: number): number {
  for (const short of shorts) if (short >= COUNTED_INTEGERS && short !== EXCEPTION) others[listed++] = short
  return listed
}

/** Counts the small integers, lists the other values, and returns the number of these. */
function count({ integers, others, length }: Histogram, values: Float64Array): number {
  integers.fill(0)
  let listed = 0
  for (let i = 0; i < length; i++) {
    const value = values[i]!
    const integer = value & (COUNTED_INTEGERS - 1)
    if (integer === value) integers[integer]!++
    else others[listed++] = value
  }
  return listed
}

function findEnds(histogram: Histogram): void {
  const { integers } = histogram
  let least = 0
  while (integers[least] === 0) least++
  let greatest = COUNTED_INTEGERS - 1
  while (integers[greatest] === 0) greatest--
  histogram.least = least
  histogram.greatest = greatest
}

/** Returns the exact sum of the counted integers, which is far below 2^53; 0 if there are none. */
export function sumOfIntegers({ counted, integers, least, greatest }: Histogram): number {
  let sum = 0
  if (counted > 0) for (let integer = least; integer <= greatest; integer++) sum += integer * integers[integer]!
  return sum
}
