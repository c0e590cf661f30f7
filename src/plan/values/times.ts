import { daysSinceEpoch } from '../../base/time/iso8601.js'
import {
  dayOf,
  floorDivide,
  isInRange,
  type Moment,
  momentAt,
  momentInRange,
  momentOf,
  momentOfIso8601,
  timeOfDayUs,
} from '../../base/time/moment.js'
import { DAY_US, HOUR_US, MILLISECOND_US, MINUTE_US, SECOND_US } from '../../base/units.js'
import type { UNITS_OF_TIME } from '../../common/sql-words.js'

const UNIT_US = {
  microsecond: 1,
  millisecond: MILLISECOND_US,
  second: SECOND_US,
  minute: MINUTE_US,
  hour: HOUR_US,
  day: DAY_US,
  week: 7 * DAY_US,
  isoweek: 7 * DAY_US,
} as const satisfies Partial<Record<TimeUnit, number>>

const UNIT_MONTHS = { month: 1, quarter: 3, year: 12 } as const satisfies Record<
  Exclude<TimeUnit, keyof typeof UNIT_US>,
  number
>

type CalendarUnit = keyof typeof UNIT_MONTHS

/** A unit of time that functions truncate to, add or count. `week` starts on Sunday, `isoweek` on Monday. */
export type TimeUnit = (typeof UNITS_OF_TIME)[number]

/** All units, the shortest first. */
export const TIME_UNITS = [...Object.keys(UNIT_US), ...Object.keys(UNIT_MONTHS)] as readonly TimeUnit[]

/** Whether a unit is a part of a day, as an hour is: a date has none. */
export const isPartOfDay = (unit: TimeUnit): boolean => (unitUs(unit) ?? DAY_US) < DAY_US

/** The length of a unit that always takes the same time, in microseconds. Undefined for months, quarters and years. */
export const unitUs = (unit: TimeUnit): number | undefined => (UNIT_US as Partial<Record<TimeUnit, number>>)[unit]

const DIGITS = /^\d+(?:\.\d+)?$/

/**
 * Reads ISO 8601, or the digits of an epoch, as microseconds since the epoch. Undefined for any other text, or outside
 * of the years 1 to 9999.
 */
export function momentOfText(text: string): Moment | undefined {
  return DIGITS.test(text) ? momentOfDigits(text) : momentOfIso8601(text)
}

/**
 * Reads an epoch as microseconds: values below 1e11 count seconds, below 1e14 milliseconds, below 1e17 microseconds,
 * other values nanoseconds. Digits below the microsecond are cut. Undefined beyond the year 9999.
 */
export function momentOfNumber(value: number | bigint): Moment | undefined {
  if (typeof value === 'bigint' || Number.isInteger(value)) return momentOfInteger(BigInt(value))
  return value < 0 ? undefined : momentOfDigits(decimalOf(value))
}

/** The decimal digits of a positive number, without an exponent. */
function decimalOf(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text
}

function momentOfInteger(value: bigint): Moment | undefined {
  // Seconds, as before 1970 no longer form is distinguished.
  if (value < 100_000_000_000n) return momentInRange(value * 1_000_000n)
  if (value < 100_000_000_000_000n) return momentInRange(value * 1000n)
  return momentInRange(value < 100_000_000_000_000_000n ? value : value / 1000n)
}

/** Read from the digits, so that a fraction is exact. */
function momentOfDigits(text: string): Moment | undefined {
  const dot = text.indexOf('.')
  const whole = withoutZeros(dot < 0 ? text : text.slice(0, dot))
  const fraction = dot < 0 ? '' : text.slice(dot + 1)
  if (whole.length > 20) return undefined
  const scale = scaleOf(BigInt(whole))
  const cut = scale === 0 ? '' : fraction.slice(0, scale).padEnd(scale, '0')
  return momentInRange(scale < 0 ? BigInt(whole) / 1000n : BigInt(whole + cut))
}

/** The digits of a whole number, without zeros at the start: a text may have a million digits. */
const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '')

/** The power of ten that makes microseconds of an epoch. */
function scaleOf(value: bigint): number {
  if (value < 100_000_000_000n) return 6
  if (value < 100_000_000_000_000n) return 3
  return value < 100_000_000_000_000_000n ? 0 : -3
}

/** The start of the unit that a moment is in, UTC. The start of a week may be before the year 1. */
export function truncateUs(us: Moment, unit: TimeUnit): Moment {
  if (unit === 'week' || unit === 'isoweek') return momentAt(weekStart(dayOf(us), unit), 0)
  const length = unitUs(unit)
  if (length !== undefined) return bucketStart(us, length)
  const { year, month } = civilOf(us)
  const months = UNIT_MONTHS[unit as CalendarUnit]
  return momentAt(monthStart(year, Math.floor((month - 1) / months) * months), 0)
}

/** The start of the bucket that a row's time is in. Buckets of a width are adjacent, aligned to the epoch. */
export const bucketStartUs = (us: number, widthUs: number): number => Math.floor(us / widthUs) * widthUs

/** The same of any moment. */
export function bucketStart(us: Moment, widthUs: number): Moment {
  if (typeof us === 'number') {
    const startUs = bucketStartUs(us, widthUs)
    if (Number.isSafeInteger(startUs)) return startUs
  }
  return momentOf(floorDivide(BigInt(us), BigInt(widthUs)) * BigInt(widthUs))
}

/** 1970-01-01 was the fourth day of a week that starts on Sunday, counted from 0, and the third from Monday. */
const EPOCH_WEEKDAY = { week: 4, isoweek: 3 } as const

/** The first day of the week that a day is in. Days count from 1970-01-01. */
export const weekStart = (day: number, unit: 'week' | 'isoweek'): number =>
  day - ((((day + EPOCH_WEEKDAY[unit]) % 7) + 7) % 7)

/** The first day of a month, which counts from 0 and may lie outside of the year. */
function monthStart(year: number, month: number): number {
  const years = Math.floor(month / 12)
  return daysSinceEpoch(year + years, month - 12 * years + 1, 1)
}

/** More months are always beyond the years 1 to 9999. */
const MOST_MONTHS = 12 * 10_000

/**
 * A moment later by some whole units, earlier if `count` is negative. Undefined outside of the years 1 to 9999. After
 * months the day is the last of the month if the month has no such day.
 */
export function addUnits(us: Moment, count: number | bigint, unit: TimeUnit): Moment | undefined {
  const length = unitUs(unit)
  const moved = length === undefined ? addMonths(us, count, unit as CalendarUnit) : addLengths(us, count, length)
  return moved !== undefined && isInRange(moved) ? moved : undefined
}

function addLengths(us: Moment, count: number | bigint, length: number): Moment {
  if (typeof us === 'number' && typeof count === 'number') {
    const addedUs = count * length
    const moved = us + addedUs
    if (Number.isSafeInteger(addedUs) && Number.isSafeInteger(moved)) return moved
  }
  return momentOf(BigInt(us) + BigInt(count) * BigInt(length))
}

function addMonths(us: Moment, count: number | bigint, unit: CalendarUnit): Moment | undefined {
  const added = Number(count) * UNIT_MONTHS[unit]
  if (Math.abs(added) > MOST_MONTHS) return undefined
  const { year, month, day } = civilOf(us)
  const start = monthStart(year, month - 1 + added)
  const days = monthStart(year, month + added) - start
  return momentAt(start + Math.min(day, days) - 1, timeOfDayUs(us))
}

/** How many whole units of fixed length lie between two moments, rounded towards 0. */
export function unitsBetween(a: Moment, b: Moment, length: number): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const differenceUs = a - b
    if (Number.isSafeInteger(differenceUs)) return Math.trunc(differenceUs / length) + 0
  }
  return momentOf((BigInt(a) - BigInt(b)) / BigInt(length))
}

/** How many starts of a unit lie between two moments: 1 from December 31st to January 1st for years. */
export function boundariesBetween(a: Moment, b: Moment, unit: TimeUnit): number | bigint {
  const length = unitUs(unit)
  if (length !== undefined) return unitsBetween(truncateUs(a, unit), truncateUs(b, unit), length)
  const months = UNIT_MONTHS[unit as CalendarUnit]
  const index = ({ year, month }: Civil) => Math.floor((12 * year + month - 1) / months)
  return index(civilOf(a)) - index(civilOf(b))
}

/** How many whole units of at most a day lie between the epoch and a moment, rounded down: seconds, milliseconds. */
export const unitsSinceEpoch = (us: Moment, length: number): number =>
  typeof us === 'number'
    ? Math.floor(us / length)
    : dayOf(us) * (DAY_US / length) + Math.floor(timeOfDayUs(us) / length)

/** The calendar's parts of a moment in UTC. Months and days count from 1. */
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
export function civilOf(us: Moment): Civil {
  const z = dayOf(us) + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  const rest = timeOfDayUs(us)
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
export function dateText(day: number): string {
  const { year, month, day: dayOfMonth } = civilOf(momentAt(day, 0))
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`
}

/** `HH:MM:SS`, with six fraction digits unless the fraction is zero. */
function clockText(us: Moment): string {
  const { hour, minute, second, microsecond } = civilOf(us)
  const fraction = microsecond === 0 ? '' : `.${pad(microsecond, 6)}`
  return `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}`
}

/** `YYYY-MM-DDTHH:MM:SS[.ffffff]`. */
export const datetimeText = (us: Moment): string => `${dateText(dayOf(us))}T${clockText(us)}`

/** `YYYY-MM-DD HH:MM:SS[.fff[fff]]`, as a datetime is cast to text: with no, three or six digits of a fraction. */
export const civilText = (us: Moment): string =>
  `${dateText(dayOf(us))} ${clockText(us)}`.replace(/(\.\d{3})000$/, '$1')

/** The same with `+00`, as a timestamp is cast to text. */
export const timestampText = (us: Moment): string => `${civilText(us)}+00`
