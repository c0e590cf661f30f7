import { daysSinceEpoch } from '../../base/time/iso8601.js'
import { isInRange, type Moment, momentAt } from '../../base/time/moment.js'
import { HOUR_US, MINUTE_US, SECOND_US } from '../../base/units.js'
import { civilOf } from '../values/times.js'
import { queryError } from './function.js'
import { MONTHS, spellOut, WEEKDAYS } from './time-format.js'

/**
 * The fields of a time that have been read. The date of a text without a date is 1970-01-01. If two elements are for
 * the same field, the later element counts.
 */
interface TimeFields {
  year: number
  month: number
  day: number
  /** The day of the year, from 1, in place of the month and the day. */
  dayOfYear?: number
  hour: number
  minute: number
  second: number
  microsecond: number
  /** The hour is from 0 to 11, by `%I`, of the half of the day that `%p` gives. */
  isHalfDay: boolean
  isAfternoon: boolean
  /** Seconds since the epoch, by `%s`, which replace all other fields. */
  epochSeconds?: number
  offsetUs: number
}

/**
 * Reads an element at a place of a text into `fields`. Returns the place behind the element, or undefined if the text
 * has no such element at the place.
 */
type Reader = (text: string, at: number, fields: TimeFields) => number | undefined

/** Up to `most` digits, which spell a number from `low` through `high`. */
function digits(most: number, take: (value: number, fields: TimeFields) => void, low = 0, high = Infinity): Reader {
  return (text, at, fields) => {
    let end = at
    while (end < text.length && end - at < most && text[end] >= '0' && text[end] <= '9') end++
    const value = Number(text.slice(at, end))
    if (end === at || value < low || value > high) return undefined
    take(value, fields)
    return end
  }
}

const character =
  (wanted: string): Reader =>
  (text, at) =>
    text[at] === wanted ? at + 1 : undefined

/** The same behind an optional space. */
const padded =
  (read: Reader): Reader =>
  (text, at, fields) =>
    read(text, text[at] === ' ' ? at + 1 : at, fields)

/** A name of `names`, whole or by the first three letters, in any case. */
function named(names: readonly string[], take: (index: number, fields: TimeFields) => void): Reader {
  return (text, at, fields) => {
    for (const [index, name] of names.entries()) {
      for (const form of [name, name.slice(0, 3)]) {
        if (text.slice(at, at + form.length).toLowerCase() !== form.toLowerCase()) continue
        take(index, fields)
        return at + form.length
      }
    }
    return undefined
  }
}

/** Takes a value unchanged. */
const into =
  (field: 'year' | 'dayOfYear' | 'minute') =>
  (value: number, fields: TimeFields): void => {
    fields[field] = value
  }

function takeMonth(month: number, fields: TimeFields): void {
  fields.month = month
  fields.dayOfYear = undefined
}

function takeDay(day: number, fields: TimeFields): void {
  fields.day = day
  fields.dayOfYear = undefined
}

function takeHour(hour: number, fields: TimeFields): void {
  fields.hour = hour
  fields.isHalfDay = false
}

function takeHalfDayHour(hour: number, fields: TimeFields): void {
  fields.hour = hour % 12
  fields.isHalfDay = true
}

function takeSecond(second: number, fields: TimeFields, microsecond = 0): void {
  fields.second = second
  // A leap second is the first moment of the next minute.
  fields.microsecond = second === 60 ? 0 : microsecond
}

const year = digits(4, into('year'))
const month = named(MONTHS, (index, fields) => takeMonth(index + 1, fields))
const weekday = named(WEEKDAYS, () => {})
const day = digits(2, takeDay)
const hour = digits(2, takeHour, 0, 23)
const halfDayHour = digits(2, takeHalfDayHour, 1, 12)
const halfOfDay = named(['AM', 'PM'], (index, fields) => {
  fields.isAfternoon = index === 1
})

const READERS: Readonly<Record<string, Reader>> = {
  Y: year,
  y: digits(2, (value, fields) => {
    fields.year = value < 69 ? 2000 + value : 1900 + value
  }),
  m: digits(2, takeMonth, 1, 12),
  d: day,
  e: padded(day),
  j: digits(3, into('dayOfYear'), 1, 366),
  H: hour,
  k: padded(hour),
  I: halfDayHour,
  l: padded(halfDayHour),
  M: digits(2, into('minute'), 0, 59),
  S: digits(2, takeSecond, 0, 60),
  p: halfOfDay,
  P: halfOfDay,
  s: readEpoch,
  b: month,
  B: month,
  h: month,
  a: weekday,
  A: weekday,
  Z: (text, at) => (text.startsWith('UTC', at) ? at + 3 : undefined),
  z: readOffset,
  '%': character('%'),
}

function readEpoch(text: string, at: number, fields: TimeFields): number | undefined {
  const [found] = /^-?\d{1,12}/.exec(text.slice(at, at + 13)) ?? []
  if (found === undefined) return undefined
  fields.epochSeconds = Number(found)
  return at + found.length
}

function readOffset(text: string, at: number, fields: TimeFields): number | undefined {
  if (text[at] === 'Z') return at + 1
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})/.exec(text.slice(at, at + 6)) ?? []
  if (sign === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined
  fields.offsetUs = (Number(hours) * HOUR_US + Number(minutes) * MINUTE_US) * (sign === '-' ? -1 : 1)
  return at + (text[at + 3] === ':' ? 6 : 5)
}

/** Seconds with a fraction, as in `%E*S` and `%E3S`. */
function readSeconds(text: string, at: number, fields: TimeFields): number | undefined {
  const [found, whole, fraction = ''] = /^(\d{1,2})(?:\.(\d{1,9}))?/.exec(text.slice(at, at + 12)) ?? []
  if (found === undefined || Number(whole) > 60) return undefined
  takeSecond(Number(whole), fields, Number(fraction.padEnd(6, '0').slice(0, 6)))
  return at + found.length
}

/** The reader of the element that starts with a percent sign at a place, and the place behind it. */
function readerAt(format: string, at: number): { read: Reader; next: number } {
  const next = at + 2
  if (format[at + 1] !== 'E') {
    const read = READERS[format[at + 1] ?? '']
    if (read === undefined) throw queryError(`%${format[at + 1] ?? ''} is no element of a format that can be read.`)
    return { read, next }
  }
  if (format[at + 2] === 'z') return { read: readOffset, next: at + 3 }
  if (format.startsWith('4Y', at + 2)) return { read: year, next: at + 4 }
  if (!/^[0-6*]S/.test(format.slice(at + 2)))
    throw queryError('%E must be followed by z, by 4Y, or by a digit or * and S.')
  return { read: readSeconds, next: at + 4 }
}

/** White space in a format, `%n` and `%t`. */
const SPACE_IN_FORMAT = /(?:\s|%[nt])+/y

/** White space in a format is any white space in the text, or none. */
function readSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at])) at++
  return at
}

/** The readers of a format, in order. The text may have white space at both ends. */
function readersOf(format: string): Reader[] {
  const readers: Reader[] = [readSpace]
  for (let at = 0; at < format.length; ) {
    SPACE_IN_FORMAT.lastIndex = at
    const space = SPACE_IN_FORMAT.exec(format)
    const { read, next } =
      space !== null
        ? { read: readSpace, next: SPACE_IN_FORMAT.lastIndex }
        : format[at] === '%'
          ? readerAt(format, at)
          : { read: character(format[at]), next: at + 1 }
    readers.push(read)
    at = next
  }
  return [...readers, readSpace]
}

/**
 * Returns the function that reads a text by a format. The function returns undefined if the text does not have that
 * form, or is no moment. Throws on an element that no text can be read by.
 */
export function timeParser(format: string): (text: string) => Moment | undefined {
  const readers = readersOf(spellOut(format))
  return (text) => {
    const fields: TimeFields = { ...START }
    let at = 0
    for (const read of readers) {
      const end = read(text, at, fields)
      if (end === undefined) return undefined
      at = end
    }
    return at === text.length ? momentOf(fields) : undefined
  }
}

const START: TimeFields = {
  year: 1970,
  month: 1,
  day: 1,
  hour: 0,
  minute: 0,
  second: 0,
  microsecond: 0,
  isHalfDay: false,
  isAfternoon: false,
  offsetUs: 0,
}

function momentOf({ epochSeconds, offsetUs, ...fields }: TimeFields): Moment | undefined {
  const days = dayOf(fields)
  if (days === undefined) return undefined
  const hours = fields.hour + (fields.isHalfDay && fields.isAfternoon ? 12 : 0)
  const clockUs = hours * HOUR_US + fields.minute * MINUTE_US + fields.second * SECOND_US + fields.microsecond
  const us = epochSeconds === undefined ? momentAt(days, clockUs - offsetUs) : momentAt(0, epochSeconds * SECOND_US)
  return isInRange(us) ? us : undefined
}

/** The days since the epoch. Undefined if there is no such day. */
function dayOf({ year, month, day, dayOfYear }: Omit<TimeFields, 'epochSeconds' | 'offsetUs'>): number | undefined {
  const days = dayOfYear === undefined ? daysSinceEpoch(year, month, day) : daysSinceEpoch(year, 1, 1) + dayOfYear - 1
  const found = civilOf(momentAt(days, 0))
  const isDay = found.year === year && (dayOfYear !== undefined || (found.month === month && found.day === day))
  return isDay ? days : undefined
}
