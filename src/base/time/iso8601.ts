import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../units.js'
import { datetime } from './buckets.js'

const ISO_8601 =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: UTC| ?[Zz]| ?([+-])(\d\d)(?::?(\d\d))?)?)?$/

const BIG_SECOND_US = BigInt(SECOND_US)
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** A day from 1970-01-01, and microseconds since the day began in UTC, which by an offset may be beyond the day. */
interface DayAndTime {
  day: number
  timeUs: number
}

/**
 * Parses an ISO 8601 date, or date and time. Returns microseconds since the epoch, or undefined if the text is invalid.
 *
 * Accepted: a date alone (midnight), `T`, `t` or a space, seconds optional, up to 9 fractional digits after a dot or a
 * comma, truncated to the microsecond, offset `Z`, `z`, `+05:30`, `+0530`, `+02`, with or without a preceding space, or
 * ` UTC`. No offset means UTC. Refused: impossible dates, hour 24, second 60, offsets of a day or more. Beyond the year
 * 2255 the number is the nearest double, but {@link readIso8601} is exact.
 */
export function parseIso8601(text: string): number | undefined {
  const read = readIso8601(text)
  return read && read.day * DAY_US + read.timeUs
}

/** The same as a day and a time of day, which are exact in all years. */
export function readIso8601(text: string): DayAndTime | undefined {
  const match = ISO_8601.exec(text)
  if (match === null) return undefined
  const [, date, hour = '0', minute = '0', second = '0', fraction = '', sign, offsetHour = '0', offsetMinute = '0'] =
    match
  const [year, month, day] = [Number(date!.slice(0, 4)), Number(date!.slice(5, 7)), Number(date!.slice(8))]
  if (!isDate(year, month, day)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined
  const offsetUs = (Number(offsetHour) * HOUR_US + Number(offsetMinute) * MINUTE_US) * (sign === '-' ? -1 : 1)
  const clockUs = Number(hour) * HOUR_US + Number(minute) * MINUTE_US + Number(second) * SECOND_US
  const fractionUs = Number(fraction.padEnd(6, '0').slice(0, 6))
  return { day: daysSinceEpoch(year, month, day), timeUs: clockUs + fractionUs - offsetUs }
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= DAYS_IN_MONTH[month - 1] + (month === 2 && leap ? 1 : 0)
}

/**
 * Returns the days from 1970-01-01 in the proleptic Gregorian calendar (H. Hinnant, chrono-compatible date algorithms).
 */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Formats microseconds since the epoch as ISO 8601 in UTC, with six fractional digits unless all six are 0. */
export function formatIso8601(timestampUs: number | bigint): string {
  // A double holds every whole second of these years, but not every microsecond.
  const fractionUs =
    typeof timestampUs === 'number'
      ? timestampUs - Math.floor(timestampUs / SECOND_US) * SECOND_US
      : Number(((timestampUs % BIG_SECOND_US) + BIG_SECOND_US) % BIG_SECOND_US)
  const secondUs = typeof timestampUs === 'number' ? timestampUs : Number(timestampUs - BigInt(fractionUs))
  const fraction = fractionUs === 0 ? '' : `.${String(fractionUs).padStart(6, '0')}`
  return `${datetime(secondUs)}${fraction}Z`
}
