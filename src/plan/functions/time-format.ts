import { daysSinceEpoch } from '../../base/iso8601.js'
import { HOUR_US, MINUTE_US, SECOND_US } from '../../base/units.js'
import { dayOf, isInRange, type Moment, momentAt } from '../values/moment.js'
import { type Civil, civilOf, unitsSinceEpoch, weekStart } from '../values/times.js'
import { queryError } from './function.js'

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const pad = (value: number, length = 2) => String(value).padStart(length, '0')
const dayOfWeek = (us: Moment) => dayOf(us) - weekStart(dayOf(us), 'week')
const fractionOf = ({ microsecond }: Civil, digits: number) => pad(microsecond, 6).slice(0, digits)

/** Elements of formats that are short for others. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  '%F': '%Y-%m-%d',
  '%T': '%H:%M:%S',
  '%R': '%H:%M',
  '%D': '%m/%d/%y',
  '%X': '%H:%M:%S',
  '%x': '%m/%d/%y',
  '%c': '%a %b %e %H:%M:%S %Y',
}

/** The text of each element of a format. */
const ELEMENTS: Readonly<Record<string, (civil: Civil, us: Moment) => string>> = {
  Y: ({ year }) => pad(year, 4),
  y: ({ year }) => pad(year % 100),
  m: ({ month }) => pad(month),
  d: ({ day }) => pad(day),
  e: ({ day }) => String(day).padStart(2),
  H: ({ hour }) => pad(hour),
  I: ({ hour }) => pad(((hour + 11) % 12) + 1),
  M: ({ minute }) => pad(minute),
  S: ({ second }) => pad(second),
  p: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  j: ({ year }, us) => pad(dayOf(us) - daysSinceEpoch(year, 1, 1) + 1, 3),
  A: (_, us) => WEEKDAYS[dayOfWeek(us)]!,
  a: (_, us) => WEEKDAYS[dayOfWeek(us)]!.slice(0, 3),
  B: ({ month }) => MONTHS[month - 1]!,
  b: ({ month }) => MONTHS[month - 1]!.slice(0, 3),
  h: ({ month }) => MONTHS[month - 1]!.slice(0, 3),
  u: (_, us) => String(((dayOfWeek(us) + 6) % 7) + 1),
  w: (_, us) => String(dayOfWeek(us)),
  s: (_, us) => String(unitsSinceEpoch(us, SECOND_US)),
  Z: () => 'UTC',
  z: () => '+0000',
  '%': () => '%',
  n: () => '\n',
  t: () => '\t',
}

const ELEMENT = /%E([0-6*])S|%Ez|%([A-Za-z%])/g

function spellOut(format: string): string {
  return format.replace(/%[%FTRDXxc]/g, (element) => SHORTHANDS[element] ?? element)
}

/** The longest format: a row may cost no more than the bytes of the row and of the format. */
const MAX_FORMAT_LENGTH = 1_000

/** Throws if a format is too long. */
export function checkLength(format: string): void {
  if (format.length <= MAX_FORMAT_LENGTH) return
  throw queryError(`The format of a time has more than ${MAX_FORMAT_LENGTH} characters.`)
}

/** Spells a moment as `format_timestamp` does. Throws on an element that it does not know. */
export function formatTime(format: string, us: Moment): string {
  const civil = civilOf(us)
  return spellOut(format).replace(ELEMENT, (element, digits: string | undefined, letter: string | undefined) => {
    if (digits !== undefined) return secondsWith(civil, digits)
    if (element === '%Ez') return '+00:00'
    return elementOf(letter!)(civil, us)
  })
}

function secondsWith(civil: Civil, digits: string): string {
  const fraction = digits === '*' ? fractionOf(civil, 6).replace(/0+$/, '') : fractionOf(civil, Number(digits))
  return fraction === '' ? pad(civil.second) : `${pad(civil.second)}.${fraction}`
}

function elementOf(letter: string): (civil: Civil, us: Moment) => string {
  const spell = ELEMENTS[letter]
  if (spell === undefined) throw queryError(`%${letter} is no element of a time's format here.`)
  return spell
}

/** The parts of a time that have been read; without a date it is 1970-01-01. */
interface Parts {
  year: number
  month: number
  day: number
  timeUs: number
  /** An hour of 0 to 11, by `%I`, and whether `%p` makes it one of the afternoon. */
  halfDayHour?: number
  isAfternoon?: boolean
  offsetUs: number
}

/**
 * Reads one element at a place of a text into `parts`; returns the place behind it, or undefined if it is not there.
 */
type Reader = (text: string, at: number, parts: Parts) => number | undefined

/** Up to `most` digits, which spell a number from `low` through `high`. */
function digits(most: number, take: (value: number, parts: Parts) => void, low = 0, high = Infinity): Reader {
  return (text, at, parts) => {
    let end = at
    while (end < text.length && end - at < most && text[end]! >= '0' && text[end]! <= '9') end++
    const value = Number(text.slice(at, end))
    if (end === at || value < low || value > high) return undefined
    take(value, parts)
    return end
  }
}

/** One of some names, whole or its first three letters, in any case. */
function named(names: readonly string[], take: (index: number, parts: Parts) => void): Reader {
  return (text, at, parts) => {
    for (const [index, name] of names.entries()) {
      for (const form of [name, name.slice(0, 3)]) {
        if (text.slice(at, at + form.length).toLowerCase() !== form.toLowerCase()) continue
        take(index, parts)
        return at + form.length
      }
    }
    return undefined
  }
}

const addTime = (us: number) => (value: number, parts: Parts) => {
  parts.timeUs += value * us
}

const month = named(MONTHS, (index, parts) => {
  parts.month = index + 1
})
const weekday = named(WEEKDAYS, () => {})
const dayOfMonth = digits(2, (value, parts) => {
  parts.day = value
})

function takeHalfDayHour(value: number, parts: Parts): void {
  parts.halfDayHour = value % 12
}

const READERS: Readonly<Record<string, Reader>> = {
  Y: digits(4, (value, parts) => {
    parts.year = value
  }),
  m: digits(2, (value, parts) => {
    parts.month = value
  }),
  d: dayOfMonth,
  e: (text, at, parts) => dayOfMonth(text, text[at] === ' ' ? at + 1 : at, parts),
  H: digits(2, addTime(HOUR_US), 0, 23),
  I: digits(2, takeHalfDayHour, 1, 12),
  M: digits(2, addTime(MINUTE_US), 0, 59),
  S: digits(2, addTime(SECOND_US), 0, 59),
  p: named(['AM', 'PM'], (index, parts) => {
    parts.isAfternoon = index === 1
  }),
  s: digits(12, addTime(SECOND_US)),
  b: month,
  B: month,
  h: month,
  a: weekday,
  A: weekday,
  Z: (text, at) => (text.startsWith('UTC', at) ? at + 3 : undefined),
  z: readOffset,
  '%': (text, at) => (text[at] === '%' ? at + 1 : undefined),
}

function readOffset(text: string, at: number, parts: Parts): number | undefined {
  if (text[at] === 'Z') return at + 1
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})/.exec(text.slice(at, at + 6)) ?? []
  if (sign === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined
  parts.offsetUs = (Number(hours) * HOUR_US + Number(minutes) * MINUTE_US) * (sign === '-' ? -1 : 1)
  return at + (text[at + 3] === ':' ? 6 : 5)
}

/** Seconds with a fraction, as `%E*S` and `%E3S` read them. */
function readSeconds(text: string, at: number, parts: Parts): number | undefined {
  const [found, whole, fraction = ''] = /^(\d{1,2})(?:\.(\d{1,9}))?/.exec(text.slice(at, at + 12)) ?? []
  if (found === undefined || Number(whole) > 59) return undefined
  parts.timeUs += Number(whole) * SECOND_US + Number(fraction.padEnd(6, '0').slice(0, 6))
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
  if (!/^[0-6*]S/.test(format.slice(at + 2))) throw queryError('%E must be followed by z, or by a digit or * and S.')
  return { read: readSeconds, next: at + 4 }
}

/** Throws on an element of a format that {@link parseTime} does not know. */
export function checkForm(format: string): void {
  const spelled = spellOut(format)
  for (let at = 0; at < spelled.length; ) at = spelled[at] === '%' ? readerAt(spelled, at).next : at + 1
}

/** Reads a text by a format; undefined if it does not have that form, or is no moment. Throws on an unknown element. */
export function parseTime(format: string, text: string): Moment | undefined {
  const spelled = spellOut(format)
  const parts: Parts = { year: 1970, month: 1, day: 1, timeUs: 0, offsetUs: 0 }
  let at = 0
  for (let i = 0; i < spelled.length; ) {
    if (spelled[i] !== '%') {
      if (text[at++] !== spelled[i++]) return undefined
      continue
    }
    const { read, next } = readerAt(spelled, i)
    const end = read(text, at, parts)
    if (end === undefined) return undefined
    at = end
    i = next
  }
  return at === text.length ? momentOf(parts) : undefined
}

function momentOf({ year, month, day, timeUs, halfDayHour, isAfternoon, offsetUs }: Parts): Moment | undefined {
  const start = daysSinceEpoch(year, month, day)
  const { year: sameYear, month: sameMonth, day: sameDay } = civilOf(momentAt(start, 0))
  const isDate = sameYear === year && sameMonth === month && sameDay === day
  const hours = halfDayHour === undefined ? 0 : halfDayHour + (isAfternoon ? 12 : 0)
  const us = momentAt(start, timeUs + hours * HOUR_US - offsetUs)
  return isDate && isInRange(us) ? us : undefined
}
