import { CivilDate, Datetime, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { isoUs } from '../time.js'

export type Moment = Timestamp | Datetime | CivilDate
/** Microseconds since the epoch. */
export type Us = number | bigint

const DAY_US = 86_400_000_000n
const FIRST_MS = new Date('0001-01-01T00:00:00Z').getTime()
const LAST_MS = new Date('9999-12-31T23:59:59.999Z').getTime()

const floorDivide = (a: bigint, b: bigint) => (a - (((a % b) + b) % b)) / b

/** The day of a moment, from 1970-01-01. */
export const dayOf = (us: Us): number => Number(floorDivide(BigInt(us), DAY_US))

const END_US = (BigInt(LAST_MS) + 1n) * 1000n

/** A moment in the form of values: a double if the double is exact. */
const canonical = (us: bigint): Us => (us > -(2n ** 53n) && us < 2n ** 53n ? Number(us) : us)

/** Microseconds of a moment that is in the years 1 to 9999, else undefined. */
export const inRange = (us: bigint): Us | undefined =>
  us >= BigInt(FIRST_MS) * 1000n && us < END_US ? canonical(us) : undefined

/** Whole units since the epoch, rounded down. */
export const sinceEpoch = (us: Us, lengthUs: bigint): number => Number(floorDivide(BigInt(us), lengthUs))

/** The moment that a value is, or spells: CONTRACT.md, section 3. */
export function momentOf(value: Scalar | Moment): Us | undefined {
  if (value instanceof CivilDate) return canonical(BigInt(value.days) * DAY_US)
  if (value instanceof Timestamp || value instanceof Datetime) return value.us
  if (typeof value === 'bigint') return epoch(String(value))
  if (typeof value === 'number') {
    if (value < 0) return Number.isInteger(value) ? epoch(String(BigInt(value))) : undefined
    return epoch(Number.isInteger(value) ? String(BigInt(value)) : plainDigits(value))
  }
  if (typeof value !== 'string') return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return epoch(value)
  const us = isoUs(value.replace(/ (UTC|Z|z|[+-]\d\d.*)$/, (_, zone: string) => (zone === 'UTC' ? 'Z' : zone)))
  return us === undefined ? undefined : inRange(us)
}

const plainDigits = (value: number): string => {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20) : text
}

/** A number of seconds, milliseconds, microseconds or nanoseconds, by the size of the number. */
function epoch(digits: string): Us | undefined {
  const [whole = '', fraction = ''] = digits.split('.')
  const size = BigInt(whole)
  if (size < 0n) return inRange(size * 1_000_000n)
  const scale = [100_000_000_000n, 100_000_000_000_000n, 100_000_000_000_000_000n].filter((end) => size >= end).length
  if (scale === 3) return inRange(size / 1000n)
  const places = 6 - 3 * scale
  return inRange(BigInt(whole + fraction.slice(0, places).padEnd(places, '0')))
}

/** A moment as a Date, and the microseconds of the millisecond. */
function split(us: Us): { date: Date; rest: number } {
  const ms = floorDivide(BigInt(us), 1000n)
  return { date: new Date(Number(ms)), rest: Number(BigInt(us) - ms * 1000n) }
}

const joinUs = (date: Date, rest = 0) => canonical(BigInt(date.getTime()) * 1000n + BigInt(rest))

/** `YYYY-MM-DD`, and `HH:MM:SS` with the fraction if the moment has a fraction. */
function texts(us: Us): [date: string, clock: string] {
  const { date, rest } = split(us)
  const [day, clock] = date.toISOString().split('T') as [string, string]
  const fraction = clock.slice(9, 12) + String(rest).padStart(3, '0')
  return [day, clock.slice(0, 8) + (fraction === '000000' ? '' : `.${fraction}`)]
}

/** The text of a cast: three digits of a fraction are enough if the others are zeros. */
export function castText(us: Us): string {
  const text = texts(us).join(' ')
  return text.endsWith('000') && text.includes('.') ? text.slice(0, -3) : text
}
export const timestampText = (us: Us) => `${castText(us)}+00`
export const datetimeText = (us: Us) => texts(us).join('T')
export const dateText = (days: number) => texts(BigInt(days) * DAY_US)[0]

/** The start of a unit, by the setters of Date. */
export function truncate(us: Us, unit: string): Us {
  if (unit === 'microsecond') return us
  const { date } = split(us)
  const units = ['millisecond', 'second', 'minute', 'hour', 'day', 'month', 'year']
  const level = units.indexOf({ week: 'day', isoweek: 'day', quarter: 'month' }[unit] ?? unit)
  if (level >= 1) date.setUTCMilliseconds(0)
  if (level >= 2) date.setUTCSeconds(0)
  if (level >= 3) date.setUTCMinutes(0)
  if (level >= 4) date.setUTCHours(0)
  if (level >= 5) date.setUTCDate(1)
  if (level >= 6) date.setUTCMonth(0)
  if (unit === 'quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3))
  if (unit === 'week') date.setUTCDate(date.getUTCDate() - date.getUTCDay())
  if (unit === 'isoweek') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return joinUs(date)
}

const LENGTHS_US: Readonly<Record<string, bigint>> = {
  microsecond: 1n,
  millisecond: 1000n,
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: DAY_US,
  week: 7n * DAY_US,
  isoweek: 7n * DAY_US,
}
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }

export const UNITS = [...Object.keys(LENGTHS_US), ...Object.keys(MONTHS)]

/** A moment some units later, or undefined outside of the years 1 to 9999. */
export function add(us: Us, count: Us, unit: string): Us | undefined {
  const length = LENGTHS_US[unit]
  if (length !== undefined) return inRange(BigInt(us) + BigInt(count) * length)
  const { date, rest } = split(us)
  const months = Number(count) * MONTHS[unit]!
  if (Math.abs(months) > 200_000) return undefined
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(date)
  last.setUTCMonth(last.getUTCMonth() + 1)
  last.setUTCDate(0)
  date.setUTCDate(Math.min(day, last.getUTCDate()))
  return inRange(BigInt(joinUs(date, rest)))
}

/** Whole units from b to a. */
export function elapsed(a: Us, b: Us, unit: string): number | bigint {
  const length = LENGTHS_US[unit]
  return length === undefined ? boundaries(a, b, unit) : canonical((BigInt(a) - BigInt(b)) / length)
}

/** Starts of units after b and up to a. */
export function boundaries(a: Us, b: Us, unit: string): number | bigint {
  const [start, end] = [truncate(b, unit), truncate(a, unit)]
  const length = LENGTHS_US[unit]
  if (length !== undefined) return canonical((BigInt(end) - BigInt(start)) / length)
  const months = (us: Us) => split(us).date.getUTCFullYear() * 12 + split(us).date.getUTCMonth()
  return (months(end) - months(start)) / MONTHS[unit]!
}

const PARTS: Readonly<Record<string, (date: Date, us: Us, rest: number) => Scalar>> = {
  microsecond: (date, _, rest) => date.getUTCMilliseconds() * 1000 + rest,
  millisecond: (date) => date.getUTCMilliseconds(),
  second: (date) => date.getUTCSeconds(),
  minute: (date) => date.getUTCMinutes(),
  hour: (date) => date.getUTCHours(),
  day: (date) => date.getUTCDate(),
  dayofweek: (date) => date.getUTCDay() + 1,
  dayofyear: (_, us) => Number(boundaries(us, truncate(us, 'year'), 'day')) + 1,
  week: (_, us) => sundays(us),
  isoweek: (_, us) => isoWeek(us).week,
  isoyear: (_, us) => isoWeek(us).year,
  month: (date) => date.getUTCMonth() + 1,
  quarter: (date) => Math.floor(date.getUTCMonth() / 3) + 1,
  year: (date) => date.getUTCFullYear(),
  date: (_, us) => new CivilDate(dayOf(us)),
}

export const TIME_PARTS = Object.keys(PARTS)

/** The Sundays of the year up to a day. */
function sundays(us: Us): number {
  let count = 0
  const year = split(us).date.getUTCFullYear()
  for (const { date } = split(us); date.getUTCFullYear() === year; date.setUTCDate(date.getUTCDate() - 1)) {
    if (date.getUTCDay() === 0) count++
  }
  return count
}

/** The week of ISO 8601: the first week contains January 4th. */
function isoWeek(us: Us): { year: number; week: number } {
  const { date } = split(truncate(us, 'day'))
  const year = date.getUTCFullYear()
  const start = (of: number) => truncate(joinUs(at(of, 0, 4)), 'isoweek')
  const own = [year + 1, year, year - 1].find((candidate) => start(candidate) <= us)!
  return { year: own, week: Math.floor((dayOf(us) - dayOf(start(own))) / 7) + 1 }
}

function at(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date
}

/** A part of a moment, or undefined if no part has the name. */
export function partOf(us: Us, part: string): Scalar | undefined {
  const { date, rest } = split(us)
  return PARTS[part]?.(date, us, rest)
}

const name = (date: Date, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options }).format(date)
const two = (value: number) => String(value).padStart(2, '0')

/** A moment by a format of `format_timestamp`, or undefined if the format has an element that is not covered. */
export function format(pattern: string, us: Us): string | undefined {
  const { date, rest } = split(us)
  const micros = String(date.getUTCMilliseconds() * 1000 + rest).padStart(6, '0')
  const hours = date.getUTCHours()
  const elements: Readonly<Record<string, () => string | undefined>> = {
    Y: () => String(date.getUTCFullYear()),
    y: () => two(date.getUTCFullYear() % 100),
    m: () => two(date.getUTCMonth() + 1),
    d: () => two(date.getUTCDate()),
    e: () => String(date.getUTCDate()).padStart(2),
    H: () => two(hours),
    I: () => two(hours % 12 === 0 ? 12 : hours % 12),
    M: () => two(date.getUTCMinutes()),
    S: () => two(date.getUTCSeconds()),
    p: () => (hours < 12 ? 'AM' : 'PM'),
    j: () => String(PARTS.dayofyear!(date, us, rest)).padStart(3, '0'),
    A: () => name(date, { weekday: 'long' }),
    a: () => name(date, { weekday: 'short' }),
    B: () => name(date, { month: 'long' }),
    b: () => name(date, { month: 'long' }).slice(0, 3),
    h: () => name(date, { month: 'long' }).slice(0, 3),
    u: () => String(((date.getUTCDay() + 6) % 7) + 1),
    w: () => String(date.getUTCDay()),
    s: () => String(floorDivide(BigInt(us), 1_000_000n)),
    Z: () => 'UTC',
    z: () => '+0000',
    '%': () => '%',
    n: () => '\n',
    t: () => '\t',
    F: () => format('%Y-%m-%d', us),
    T: () => format('%H:%M:%S', us),
    X: () => format('%H:%M:%S', us),
    R: () => format('%H:%M', us),
    D: () => format('%m/%d/%y', us),
    x: () => format('%m/%d/%y', us),
    c: () => format('%a %b %e %H:%M:%S %Y', us),
    Ez: () => '+00:00',
    E4Y: () => String(date.getUTCFullYear()).padStart(4, '0'),
    'E*S': () => `${two(date.getUTCSeconds())}${`.${micros}`.replace(/\.?0+$/, '')}`,
  }
  let isKnown = true
  const text = pattern.replace(/%(E\*S|E[0-6]S|E4Y|Ez|[A-Za-z%])/g, (_, element: string) => {
    const digits = /^E(\d)S$/.exec(element)?.[1]
    if (digits !== undefined)
      return two(date.getUTCSeconds()) + (digits === '0' ? '' : `.${micros.slice(0, Number(digits))}`)
    const spelled = elements[element]?.()
    isKnown &&= spelled !== undefined
    return spelled ?? ''
  })
  return isKnown ? text : undefined
}
