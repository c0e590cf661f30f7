import { DAY_US } from '../units.js'
import { daysSinceEpoch, readIso8601 } from './iso8601.js'

/**
 * A moment in microseconds since the epoch: a `number` if a double holds the moment exactly (up to 2^53: the years 1685
 * to 2255), else a `bigint`. Rows' own timestamps are always numbers.
 */
export type Moment = number | bigint

const BIG_DAY_US = BigInt(DAY_US)

/** The moments that a text of four digits for the year can spell: from the year 1 through 9999. */
const FIRST_US = BigInt(daysSinceEpoch(1, 1, 1)) * BIG_DAY_US
const END_US = BigInt(daysSinceEpoch(10_000, 1, 1)) * BIG_DAY_US

/** Whether a moment is in the years 1 to 9999, as every number is. */
export const isInRange = (us: Moment): boolean => typeof us === 'number' || (us >= FIRST_US && us < END_US)

/** Returns a whole number of microseconds, however large, in the canonical form. */
export function momentOf(us: bigint): Moment {
  const double = Number(us)
  return Number.isSafeInteger(double) ? double : us
}

/** Like {@link momentOf}, but undefined beyond the years 1 to 9999. */
export function momentInRange(us: bigint): Moment | undefined {
  const moment = momentOf(us)
  return isInRange(moment) ? moment : undefined
}

/** Reads ISO 8601. Returns undefined if the text is no such time, or the year is beyond 1 to 9999. */
export function momentOfIso8601(text: string): Moment | undefined {
  const read = readIso8601(text)
  if (read === undefined) return undefined
  const us = momentAt(read.day, read.timeUs)
  return isInRange(us) ? us : undefined
}

/** The moment that is some microseconds after the start of a day, exactly. Both arguments may be negative. */
export function momentAt(day: number, timeUs: number): Moment {
  // The microseconds of a day have 2^13 as a factor, so that the product is exact.
  const us = day * DAY_US + timeUs
  return Number.isSafeInteger(us) ? us : BigInt(day * DAY_US) + BigInt(timeUs)
}

/** The day that a moment is in, from 1970-01-01. */
export const dayOf = (us: Moment): number =>
  typeof us === 'number' ? Math.floor(us / DAY_US) : Number(floorDivide(us, BIG_DAY_US))

/** The microseconds of a moment since the start of the day. */
export const timeOfDayUs = (us: Moment): number =>
  typeof us === 'number' ? us - Math.floor(us / DAY_US) * DAY_US : Number(us - floorDivide(us, BIG_DAY_US) * BIG_DAY_US)

/** Returns a negative number, 0 or a positive number. */
export function compareMoments(a: Moment, b: Moment): number {
  // Kept apart, since a bigint would slow down an operator that all comparisons share.
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the greatest whole number that is not greater than the quotient. The divisor is positive. */
export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b < 0n ? quotient - 1n : quotient
}
