import { daysSinceEpoch } from '../../base/time/iso8601.js'
import { dayOf, isInRange, type Moment, momentAt, momentOf } from '../../base/time/moment.js'
import { DAY_US, MILLISECOND_US, SECOND_US } from '../../base/units.js'
import {
  addUnits,
  boundariesBetween,
  bucketStart,
  civilOf,
  isPartOfDay,
  TIME_UNITS,
  type TimeUnit,
  truncateUs,
  unitsBetween,
  unitsSinceEpoch,
  unitUs,
  weekStart,
} from '../values/times.js'
import {
  CivilDate,
  Datetime,
  momentUs,
  numberOf,
  type Scalar,
  TIME_OF,
  Timestamp,
  type TimeType,
  type Type,
} from '../values/values.js'
import { prepared, queryError, type ScalarFunction, strict } from './function.js'
import { checkLength, formatTime } from './time-format.js'
import { timeParser } from './time-parse.js'

/** Functions over times, all in UTC. */
export const TIME = {
  timestamp_trunc: truncation('timestamp'),
  datetime_trunc: truncation('datetime'),
  date_trunc: truncation('date'),
  /** `timestamp_bucket(t, n)`: the last multiple of n microseconds since the epoch that is not after t. */
  timestamp_bucket: prepared(2, 'timestamp', ([, width]) => {
    const lengthUs = bucketWidthUs(width)
    return (time: Scalar) => new Timestamp(inYears(bucketStart(need(time), lengthUs)))
  }),
  /** `time_add(t, n, unit)`. A negative n goes back. Returns the type of t, but a datetime for a date plus hours. */
  time_add: withUnit(3, typeOfSum, 2, (unit) => (time: Scalar, count: Scalar) => add(time, numberOf(count), unit)),
  /** Whole units from b to a: elapsed time for timestamps. */
  timestamp_diff: withUnit(3, 'integer', 2, (unit) => {
    const length = unitUs(unit)
    return (a: Scalar, b: Scalar) =>
      length === undefined ? boundariesBetween(need(a), need(b), unit) : unitsBetween(need(a), need(b), length)
  }),
  /** Starts of units between b and a: for datetimes and dates. */
  date_diff: withUnit(3, 'integer', 2, (unit) => (a: Scalar, b: Scalar) => boundariesBetween(need(a), need(b), unit)),
  extract: prepared(2, partType, ([, part]) => extraction(String(part))),
  unix_seconds: strict(1, 'integer', (time: Scalar) => unitsSinceEpoch(need(time), SECOND_US)),
  unix_millis: strict(1, 'integer', (time: Scalar) => unitsSinceEpoch(need(time), MILLISECOND_US)),
  unix_micros: strict(1, 'integer', (time: Scalar) => need(time)),
  /** The timestamp of a row, null if the row has none: its microseconds are then not a number. */
  known_time: strict(1, 'timestamp', (time: Scalar) => {
    const us = need(time)
    return Number.isNaN(us) ? null : new Timestamp(us)
  }),
  timestamp_seconds: epoch(SECOND_US),
  timestamp_millis: epoch(MILLISECOND_US),
  timestamp_micros: epoch(1),
  format_timestamp: prepared(2, 'text', ([format]) => {
    const known = needText(format)
    // Throws if the format is wrong, also if no row has a time.
    formatTime(known, 0)
    return (_: Scalar, time: Scalar) => formatTime(known, need(time))
  }),
  parse_timestamp: prepared(2, 'timestamp', ([format]) => {
    const known = needText(format)
    const parse = timeParser(known)
    return (_: Scalar, text: Scalar) => {
      const us = parse(String(text))
      if (us === undefined) throw queryError(`A text does not have the form ${known} that parse_timestamp reads.`)
      return new Timestamp(us)
    }
  }),
} as const

/** The moment that a value is. Throws if the value is no time. */
function need(value: Scalar): Moment {
  const us = momentUs(value)
  if (us === undefined) throw queryError('A function over times got another value: use safe_cast(… as timestamp).')
  return us
}

function needText(value: Scalar | undefined): string {
  if (typeof value !== 'string') throw queryError('The format of a time must be a text that is written in the query.')
  checkLength(value)
  return value
}

/** Reads the width of buckets, which must be a literal. */
function bucketWidthUs(value: Scalar | undefined): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw queryError('The width of buckets must be a whole number of microseconds from 1 that is written in the query.')
}

/** Reads the unit of a call, which must be a literal. */
function unitOf(value: Scalar | undefined): TimeUnit {
  const unit = String(value).toLowerCase() as TimeUnit
  if (typeof value === 'string' && TIME_UNITS.includes(unit)) return unit
  throw queryError(`${String(value)} is no unit of time: use one of ${TIME_UNITS.join(', ')}.`)
}

function withUnit(
  arity: number,
  type: ScalarFunction['type'],
  place: number,
  apply: (unit: TimeUnit) => (...args: never[]) => Scalar,
): ScalarFunction {
  return prepared(arity, type, (constants) => apply(unitOf(constants[place])))
}

/** Returns a moment. Throws outside of the years 1 to 9999. */
function inYears(us: Moment | undefined): Moment {
  if (us !== undefined && isInRange(us)) return us
  throw queryError('A time of the result is outside of the years 1 to 9999.')
}

function truncation(type: TimeType): ScalarFunction {
  const make = TIME_OF[type]
  return withUnit(2, type, 1, (unit) => {
    const length = unitUs(unit)
    // The unit is looked up once. Days and shorter units never begin before the year 1.
    if (length !== undefined && length <= DAY_US) return (time: Scalar) => make(bucketStart(need(time), length))
    return (time: Scalar) => make(inYears(truncateUs(need(time), unit)))
  })
}

function typeOfSum([type]: readonly Type[], [, , unit]: readonly (Scalar | undefined)[]): Type {
  if (type === 'date') return typeof unit === 'string' && isPartOfDay(unitOf(unit)) ? 'datetime' : 'date'
  return type === 'datetime' || type === 'any' ? type : 'timestamp'
}

function add(time: Scalar, count: number | bigint | undefined, unit: TimeUnit): Scalar {
  if (count === undefined) throw queryError('The number of units to add is no number.')
  const us = inYears(addUnits(need(time), typeof count === 'number' ? Math.trunc(count) : count, unit))
  if (time instanceof CivilDate) return isPartOfDay(unit) ? TIME_OF.datetime(us) : TIME_OF.date(us)
  return time instanceof Datetime ? TIME_OF.datetime(us) : TIME_OF.timestamp(us)
}

function epoch(scale: number): ScalarFunction {
  return strict(1, 'timestamp', (value: Scalar) => {
    const number = numberOf(value)
    const us = number === undefined ? undefined : scaled(number, scale)
    if (us === undefined || !isInRange(us)) throw queryError('A number is no time in the years 1 to 9999.')
    return new Timestamp(us)
  })
}

/** The product of a number, without its fraction, and a whole number. */
function scaled(number: number | bigint, scale: number): Moment {
  if (typeof number === 'bigint') return momentOf(number * BigInt(scale))
  const us = Math.trunc(number) * scale + 0
  return Number.isSafeInteger(us) ? us : momentOf(BigInt(Math.trunc(number)) * BigInt(scale))
}

const PARTS = {
  microsecond: (us) => civilOf(us).microsecond,
  millisecond: (us) => Math.floor(civilOf(us).microsecond / 1000),
  second: (us) => civilOf(us).second,
  minute: (us) => civilOf(us).minute,
  hour: (us) => civilOf(us).hour,
  day: (us) => civilOf(us).day,
  dayofweek: (us) => dayOf(us) - weekStart(dayOf(us), 'week') + 1,
  dayofyear: (us) => dayOf(us) - yearStart(us) + 1,
  week: (us) => weekOf(us),
  isoweek: (us) => isoWeekOf(us).week,
  isoyear: (us) => isoWeekOf(us).year,
  month: (us) => civilOf(us).month,
  quarter: (us) => Math.floor((civilOf(us).month + 2) / 3),
  year: (us) => civilOf(us).year,
  date: TIME_OF.date,
} as const satisfies Readonly<Record<string, (us: Moment) => Scalar>>

/** A part of a time that `extract` returns. */
export type TimePart = keyof typeof PARTS

/** The first day of the year that a moment is in. */
const yearStart = (us: Moment): number => daysSinceEpoch(civilOf(us).year, 1, 1)

/** Weeks start on Sunday. The days before the first Sunday of a year are in week 0. */
function weekOf(us: Moment): number {
  const first = yearStart(us)
  const firstWeek = weekStart(first, 'week')
  return (weekStart(dayOf(us), 'week') - firstWeek) / 7 + (firstWeek === first ? 1 : 0)
}

/** The week of ISO 8601, and the year that the week belongs to: the year of its Thursday. */
function isoWeekOf(us: Moment): { year: number; week: number } {
  const thursday = weekStart(dayOf(us), 'isoweek') + 3
  const { year } = civilOf(momentAt(thursday, 0))
  return { year, week: Math.floor((thursday - daysSinceEpoch(year, 1, 1)) / 7) + 1 }
}

function partType(_: readonly Type[], [, part]: readonly (Scalar | undefined)[]): Type {
  if (typeof part !== 'string') return 'any'
  return part.toLowerCase() === 'date' ? 'date' : 'integer'
}

function extraction(part: string): (time: Scalar) => Scalar {
  const known = part.toLowerCase() as TimePart
  if (!Object.hasOwn(PARTS, known)) throw queryError(`extract knows no ${part}, but ${Object.keys(PARTS).join(', ')}.`)
  const read = PARTS[known]
  return (time) => read(need(time))
}
