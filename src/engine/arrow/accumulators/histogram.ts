import { EXCEPTION, type Numbers } from '../columns/numbers.js'

/**
 * The present values of a stretch of rows in the form that sums, extremes and quantiles all work on: of a long stretch
 * the small integers, which milliseconds mostly are, counted one by one, and the other values listed.
 */
export interface Histogram {
  /** How many values there are. */
  length: number
  /** How many of them were counted, and how often each integer occurs; not to be read where none was. */
  counted: number
  integers: Uint32Array
  /** The least and the greatest integer that was counted; not to be read where none was. */
  least: number
  greatest: number
  /** The values that were not counted, `others[0 .. length - counted)`; the owner's own where none was. */
  others: Float64Array
}

/** A stretch up to this long is listed only: there is little to gain, and nothing is to be lost of it. */
export const LISTED_LENGTH = 1024
/** Integers below this are counted. */
export const COUNTED_INTEGERS = 8192

export function createHistogram(): Histogram {
  // The last one counts what is no integer below.
  const integers = new Uint32Array(COUNTED_INTEGERS + 1)
  return { length: 0, counted: 0, integers, least: 0, greatest: 0, others: new Float64Array(0) }
}

/** Tallies numbers into `histogram`, whose memory is used again. */
export function countNumbers(histogram: Histogram, { values, length }: Numbers): Histogram {
  if (length <= LISTED_LENGTH) return { ...histogram, length, counted: 0, others: values }
  if (length > histogram.others.length) histogram.others = new Float64Array(length)
  histogram.length = length
  histogram.counted = length - count(histogram, values)
  if (histogram.counted > 0) findEnds(histogram)
  return histogram
}

/**
 * The same for integers of 16 bits, of which as many as there are `exceptions` stand for those, NaN for an absent value,
 * and are larger than what is counted.
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

// Long loops are functions of their own: V8 compiles a loop while it runs, without what comes behind it, which has not run
// yet, and keeps that code. A longer function fell back to slow code behind its loop at each call, and began slowly again.

function countShorts(integers: Uint32Array, shorts: Uint16Array): void {
  integers.fill(0)
  // A local name, and no Math.min: it takes two thirds of the time.
  const most = COUNTED_INTEGERS
  for (let i = 0; i < shorts.length; i++) {
    const short = shorts[i]!
    integers[short < most ? short : most]!++
  }
}

/** Returns how many are listed. */
function listPresent(values: Float64Array, others: Float64Array): number {
  let listed = 0
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) others[listed++] = values[i]!
  return listed
}

/** Lists the integers that are not counted behind what is listed already. */
function listLarge(shorts: Uint16Array, others: Float64Array, listed: number): number {
  for (const short of shorts) if (short >= COUNTED_INTEGERS && short !== EXCEPTION) others[listed++] = short
  return listed
}

/** Returns how many are listed. */
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

/** The exact sum of the integers: far below 2^53. */
export function sumOfIntegers({ counted, integers, least, greatest }: Histogram): number {
  let sum = 0
  if (counted > 0) for (let integer = least; integer <= greatest; integer++) sum += integer * integers[integer]!
  return sum
}
