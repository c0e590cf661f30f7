import { daysSinceEpoch, parseIso8601 } from '../../base/iso8601.js'
import { DAY_US, HOUR_US, MILLISECOND_US, MINUTE_US, SECOND_US } from '../../base/units.js'

const UNIT_US = {
  microsecond: 1,
  millisecond: MILLISECOND_US,
  second: SECOND_US,
  minute: MINUTE_US,
  hour: HOUR_US,
  day: DAY_US,
  week: 7 * DAY_US,
  isoweek: 7 * DAY_US,
} as const

const UNIT_MONTHS = { month: 1, quarter: 3, year: 12 } as const

type FixedUnit = keyof typeof UNIT_US
type CalendarUnit = keyof typeof UNIT_MONTHS

/** A unit of time that functions truncate to, add or count. `week` starts on Sunday, `isoweek` on Monday. */
export type TimeUnit = FixedUnit | CalendarUnit

/** All units, the shortest first. */
export const TIME_UNITS = [...Object.keys(UNIT_US), ...Object.keys(UNIT_MONTHS)] as readonly TimeUnit[]

/** The length of a unit that always takes the same time, in microseconds; undefined for months, quarters and years. */
export const unitUs = (unit: TimeUnit): number | undefined => (UNIT_US as Partial<Record<TimeUnit, number>>)[unit]

/** The moments that a text of four digits for the year can spell: from the year 1 through 9999. */
const FIRST_US = daysSinceEpoch(1, 1, 1) * DAY_US
const END_US = daysSinceEpoch(10_000, 1, 1) * DAY_US
/** The double before {@link END_US}: doubles of this size are 32 apart. */
const LAST_US = END_US - 32

/** Whether a moment is in the years 1 to 9999. */
export const isInRange = (us: number): boolean => us >= FIRST_US && us <= LAST_US

const DIGITS = /^\d+(?:\.\d+)?$/

/**
 * Reads ISO 8601, or the digits of an epoch, as microseconds since the epoch; undefined if it is neither, or outside of
 * the years 1 to 9999.
 */
export function momentOfText(text: string): number | undefined {
  if (DIGITS.test(text)) return momentOfDigits(text)
  const us = parseIso8601(text)
  // The last microseconds of 9999 are rounded to the first moment of 10000, which no text spells.
  if (us === END_US) return LAST_US
  return us === undefined ? undefined : inRange(us)
}

/**
 * Reads an epoch as microseconds: below 1e11 it counts seconds, below 1e14 milliseconds, below 1e17 microseconds, else
 * nanoseconds; digits below the microsecond are cut. Undefined beyond the year 9999.
 */
export function momentOfNumber(value: number | bigint): number | undefined {
  if (typeof value === 'bigint' || Number.isInteger(value)) return momentOfInteger(BigInt(value))
  return value < 0 ? undefined : momentOfDigits(decimalOf(value))
}

/** The decimal digits of a positive number, without an exponent. */
function decimalOf(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text
}

function momentOfInteger(value: bigint): number | undefined {
  const size = value < 0n ? -value : value
  // Seconds, as before 1970 no longer form is told apart.
  if (value < 0n) return inRange(Number(value * 1_000_000n))
  if (size < 100_000_000_000n) return inRange(Number(value * 1_000_000n))
  if (size < 100_000_000_000_000n) return inRange(Number(value * 1000n))
  return inRange(Number(size < 100_000_000_000_000_000n ? value : value / 1000n))
}

const inRange = (us: number) => (isInRange(us) ? us : undefined)

/** Read from the digits, so that a fraction is exact. */
function momentOfDigits(text: string): number | undefined {
  const dot = text.indexOf('.')
  const whole = withoutZeros(dot < 0 ? text : text.slice(0, dot))
  const fraction = dot < 0 ? '' : text.slice(dot + 1)
  if (whole.length > 20) return undefined
  const scale = scaleOf(BigInt(whole))
  const cut = scale === 0 ? '' : fraction.slice(0, scale).padEnd(scale, '0')
  return scale < 0 ? inRange(Number(BigInt(whole) / 1000n)) : inRange(Number(BigInt(whole + cut)))
}

/** The digits of a whole number, without zeros at the start: a text may have a million digits. */
const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '')

/** The power of ten that makes microseconds of an epoch. */
function scaleOf(value: bigint): number {
  if (value < 100_000_000_000n) return 6
  if (value < 100_000_000_000_000n) return 3
  return value < 100_000_000_000_000_000n ? 0 : -3
}

/** The start of the unit that a moment is in, UTC. */
export function truncateUs(us: number, unit: TimeUnit): number {
  if (unit === 'week') return truncateWeek(us, 4)
  if (unit === 'isoweek') return truncateWeek(us, 3)
  const length = unitUs(unit)
  if (length !== undefined) return bucketStartUs(us, length)
  const { year, month } = civilOf(us)
  const months = UNIT_MONTHS[unit as CalendarUnit]
  return monthUs(year, Math.floor((month - 1) / months) * months)
}

/** The start of the bucket that a moment is in; buckets of one width follow one another from the epoch on. */
export const bucketStartUs = (us: number, widthUs: number): number => Math.floor(us / widthUs) * widthUs

/** 1970-01-01 was the fourth day of a week that starts on Sunday, counted from 0. */
function truncateWeek(us: number, epochDay: number): number {
  const day = Math.floor(us / DAY_US)
  return (day - ((((day + epochDay) % 7) + 7) % 7)) * DAY_US
}

/** The start of a month, which counts from 0 and may lie outside of the year. */
function monthUs(year: number, month: number): number {
  const years = Math.floor(month / 12)
  return daysSinceEpoch(year + years, month - 12 * years + 1, 1) * DAY_US
}

/**
 * A moment later by some units; earlier if they are negative. After months the day is the last of the month if the
 * month has no such day.
 */
export function addUnits(us: number, count: number, unit: TimeUnit): number {
  const length = unitUs(unit)
  if (length !== undefined) return us + count * length
  const { year, month, day } = civilOf(us)
  const months = month - 1 + count * UNIT_MONTHS[unit as CalendarUnit]
  const startUs = monthUs(year, months)
  const days = (monthUs(year, months + 1) - startUs) / DAY_US
  return startUs + (Math.min(day, days) - 1) * DAY_US + (us - Math.floor(us / DAY_US) * DAY_US)
}

/** How many whole units of fixed length lie between two moments, rounded towards 0. */
export const unitsBetween = (aUs: number, bUs: number, length: number): number => Math.trunc((aUs - bUs) / length) + 0

/** How many starts of a unit lie between two moments: 1 from December 31st to January 1st for years. */
export function boundariesBetween(aUs: number, bUs: number, unit: TimeUnit): number {
  const length = unitUs(unit)
  if (length !== undefined) return (truncateUs(aUs, unit) - truncateUs(bUs, unit)) / length
  const [a, b] = [civilOf(aUs), civilOf(bUs)]
  const months = UNIT_MONTHS[unit as CalendarUnit]
  const index = ({ year, month }: Civil) => Math.floor((12 * year + month - 1) / months)
  return index(a) - index(b)
}

/** The calendar's parts of a moment in UTC; months and days count from 1. */
export interface Civil {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  microsecond: number
}

/** Takes a moment apart (H. Hinnant, chrono-compatible low-level date algorithms). */
export function civilOf(us: number): Civil {
  const days = Math.floor(us / DAY_US)
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  const rest = us - days * DAY_US
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
    hour: Math.floor(rest / HOUR_US),
    minute: Math.floor(rest / MINUTE_US) % 60,
    second: Math.floor(rest / SECOND_US) % 60,
    microsecond: rest % SECOND_US,
  }
}

const pad = (value: number, length: number) => String(value).padStart(length, '0')

/** `YYYY-MM-DD`. */
export function dateText(days: number): string {
  const { year, month, day } = civilOf(days * DAY_US)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

/** `HH:MM:SS`, with six fraction digits unless the fraction is zero. */
export function clockText(us: number): string {
  const { hour, minute, second, microsecond } = civilOf(us)
  const fraction = microsecond === 0 ? '' : `.${pad(microsecond, 6)}`
  return `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}`
}

/** `YYYY-MM-DDTHH:MM:SS[.ffffff]`. */
export const datetimeText = (us: number): string => `${dateText(Math.floor(us / DAY_US))}T${clockText(us)}`

/** `YYYY-MM-DD HH:MM:SS[.fff[fff]]`, as a datetime is cast to text: with no, three or six digits of a fraction. */
export const civilText = (us: number): string =>
  `${dateText(Math.floor(us / DAY_US))} ${clockText(us)}`.replace(/(\.\d{3})000$/, '$1')

/** The same with `+00`, as a timestamp is cast to text. */
export const timestampText = (us: number): string => `${civilText(us)}+00`
