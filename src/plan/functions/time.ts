import { DAY_US, MILLISECOND_US, SECOND_US } from '../../base/units.js'
import {
  addUnits,
  boundariesBetween,
  bucketStartUs,
  civilOf,
  isInRange,
  TIME_UNITS,
  type TimeUnit,
  truncateUs,
  unitsBetween,
  unitUs,
} from '../values/times.js'
import {
  CivilDate,
  Datetime,
  integer,
  momentUs,
  numberOf,
  type Scalar,
  TIME_OF,
  Timestamp,
  type TimeType,
  type Type,
} from '../values/values.js'
import { prepared, queryError, type ScalarFunction, strict } from './function.js'
import { checkForm, checkLength, formatTime, parseTime } from './time-format.js'

/** Functions over times, all in UTC. */
export const TIME = {
  timestamp_trunc: truncation('timestamp'),
  datetime_trunc: truncation('datetime'),
  date_trunc: truncation('date'),
  /** `timestamp_bucket(t, n)`: the last multiple of n microseconds since the epoch that is not after t. */
  timestamp_bucket: prepared(2, 'timestamp', ([, width]) => {
    const lengthUs = bucketWidthUs(width)
    return (time: Scalar) => new Timestamp(bucketStartUs(need(time), lengthUs))
  }),
  /** `time_add(t, n, unit)`; a negative n goes back. The result has the type of t. */
  time_add: withUnit(
    3,
    ([type]) => (type === 'datetime' || type === 'date' || type === 'any' ? type : 'timestamp'),
    2,
    (unit) => {
      return (time: Scalar, count: Scalar) => add(time, numberOf(count), unit)
    },
  ),
  /** Whole units from b to a: elapsed time for timestamps. */
  timestamp_diff: withUnit(3, 'integer', 2, (unit) => {
    const length = unitUs(unit)
    return (a: Scalar, b: Scalar) =>
      length === undefined ? boundariesBetween(need(a), need(b), unit) : unitsBetween(need(a), need(b), length)
  }),
  /** Starts of units between b and a: for datetimes and dates. */
  date_diff: withUnit(3, 'integer', 2, (unit) => (a: Scalar, b: Scalar) => boundariesBetween(need(a), need(b), unit)),
  extract: prepared(2, partType, ([, part]) => extraction(String(part))),
  unix_seconds: strict(1, 'integer', (time: Scalar) => Math.floor(need(time) / SECOND_US)),
  unix_millis: strict(1, 'integer', (time: Scalar) => Math.floor(need(time) / MILLISECOND_US)),
  unix_micros: strict(1, 'integer', (time: Scalar) => integer(BigInt(need(time)))!),
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
    checkForm(known)
    return (_: Scalar, text: Scalar) => {
      const us = parseTime(known, String(text))
      if (us === undefined) throw queryError(`A text does not have the form ${known} that parse_timestamp reads.`)
      return new Timestamp(us)
    }
  }),
} as const

/** The moment that a value is. Throws if it is none. */
function need(value: Scalar): number {
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
  type: Type | ((types: readonly Type[]) => Type),
  place: number,
  apply: (unit: TimeUnit) => (...args: never[]) => Scalar,
): ScalarFunction {
  return prepared(arity, type, (constants) => apply(unitOf(constants[place])))
}

function truncation(type: TimeType): ScalarFunction {
  const make = TIME_OF[type]
  return withUnit(2, type, 1, (unit) => (time: Scalar) => make(truncateUs(need(time), unit)))
}

function add(time: Scalar, count: number | bigint | undefined, unit: TimeUnit): Scalar {
  if (count === undefined) throw queryError('The number of units to add is no number.')
  const us = addUnits(need(time), Math.trunc(Number(count)), unit)
  if (!isInRange(us)) throw queryError('A time of the result is outside of the years 1 to 9999.')
  if (time instanceof Datetime) return TIME_OF.datetime(us)
  return time instanceof CivilDate ? TIME_OF.date(us) : TIME_OF.timestamp(us)
}

function epoch(scale: number): ScalarFunction {
  return strict(1, 'timestamp', (value: Scalar) => {
    const number = numberOf(value)
    const us = number === undefined ? undefined : Math.trunc(Number(number)) * scale + 0
    if (us === undefined || !isInRange(us)) throw queryError('A number is no time in the years 1 to 9999.')
    return new Timestamp(us)
  })
}

const PARTS = {
  microsecond: (us) => civilOf(us).microsecond,
  millisecond: (us) => Math.floor(civilOf(us).microsecond / 1000),
  second: (us) => civilOf(us).second,
  minute: (us) => civilOf(us).minute,
  hour: (us) => civilOf(us).hour,
  day: (us) => civilOf(us).day,
  dayofweek: (us) => ((((Math.floor(us / DAY_US) + 4) % 7) + 7) % 7) + 1,
  dayofyear: (us) => boundariesBetween(us, truncateUs(us, 'year'), 'day') + 1,
  week: (us) => weekOf(us),
  isoweek: (us) => isoWeekOf(us).week,
  isoyear: (us) => isoWeekOf(us).year,
  month: (us) => civilOf(us).month,
  quarter: (us) => Math.floor((civilOf(us).month + 2) / 3),
  year: (us) => civilOf(us).year,
  date: TIME_OF.date,
} as const satisfies Readonly<Record<string, (us: number) => Scalar>>

/** A part of a time that `extract` returns. */
export type TimePart = keyof typeof PARTS

/** Weeks start on Sunday; the days before the first Sunday of a year are in week 0. */
function weekOf(us: number): number {
  const startUs = truncateUs(us, 'year')
  return (
    (truncateUs(us, 'week') - truncateUs(startUs, 'week')) / (7 * DAY_US) +
    (truncateUs(startUs, 'week') === startUs ? 1 : 0)
  )
}

/** The week of ISO 8601, and the year that it belongs to: that of its Thursday. */
function isoWeekOf(us: number): { year: number; week: number } {
  const thursdayUs = truncateUs(us, 'isoweek') + 3 * DAY_US
  const week = boundariesBetween(thursdayUs, truncateUs(thursdayUs, 'year'), 'day')
  return { year: civilOf(thursdayUs).year, week: Math.floor(week / 7) + 1 }
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
