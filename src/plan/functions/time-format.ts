import { daysSinceEpoch } from '../../base/time/iso8601.js'
import { dayOf, type Moment } from '../../base/time/moment.js'
import { SECOND_US } from '../../base/units.js'
import { type Civil, civilOf, unitsSinceEpoch, weekStart } from '../values/times.js'
import { queryError } from './function.js'

/** The names of days, from Sunday. */
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
/** The names of months. */
export const MONTHS = [
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
  Y: ({ year }) => String(year),
  C: ({ year }) => pad(Math.floor(year / 100)),
  y: ({ year }) => pad(year % 100),
  m: ({ month }) => pad(month),
  d: ({ day }) => pad(day),
  e: ({ day }) => String(day).padStart(2),
  H: ({ hour }) => pad(hour),
  I: ({ hour }) => pad(halfDayHour(hour)),
  k: ({ hour }) => String(hour).padStart(2),
  l: ({ hour }) => String(halfDayHour(hour)).padStart(2),
  M: ({ minute }) => pad(minute),
  S: ({ second }) => pad(second),
  p: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  P: ({ hour }) => (hour < 12 ? 'am' : 'pm'),
  Q: ({ month }) => String(Math.ceil(month / 3)),
  U: (civil) => pad(weekOfYear(civil, 4)),
  W: (civil) => pad(weekOfYear(civil, 3)),
  V: (civil) => pad(isoWeekOf(civil).week),
  G: (civil) => String(isoWeekOf(civil).year),
  g: (civil) => pad(isoWeekOf(civil).year % 100),
  J: (civil) => pad(7 * (isoWeekOf(civil).week - 1) + dayInWeek(dayNumber(civil), 3) + 1, 3),
  j: ({ year }, us) => pad(dayOf(us) - daysSinceEpoch(year, 1, 1) + 1, 3),
  A: (_, us) => WEEKDAYS[dayOfWeek(us)],
  a: (_, us) => WEEKDAYS[dayOfWeek(us)].slice(0, 3),
  B: ({ month }) => MONTHS[month - 1],
  b: ({ month }) => MONTHS[month - 1].slice(0, 3),
  h: ({ month }) => MONTHS[month - 1].slice(0, 3),
  u: (_, us) => String(((dayOfWeek(us) + 6) % 7) + 1),
  w: (_, us) => String(dayOfWeek(us)),
  s: (_, us) => String(unitsSinceEpoch(us, SECOND_US)),
  Z: () => 'UTC',
  z: () => '+0000',
  '%': () => '%',
  n: () => '\n',
  t: () => '\t',
}

/** Hours count from 12 over 1 to 11. */
const halfDayHour = (hour: number) => ((hour + 11) % 12) + 1

const dayNumber = ({ year, month, day }: Civil) => daysSinceEpoch(year, month, day)

/** The day of the week that a day is, counted from 0. 1970-01-01 was the day `epochDay`. */
const dayInWeek = (day: number, epochDay: number) => (((day + epochDay) % 7) + 7) % 7

/** Weeks start on the day of which `epochDay` counts. Days before the first such day of a year are in week 0. */
function weekOfYear(civil: Civil, epochDay: number): number {
  const day = dayNumber(civil)
  const dayOfYear = day - daysSinceEpoch(civil.year, 1, 1)
  return Math.floor((dayOfYear + 7 - dayInWeek(day, epochDay)) / 7)
}

/** The week of ISO 8601, and the year that the week belongs to: the year of its Thursday. */
function isoWeekOf(civil: Civil): { year: number; week: number } {
  const day = dayNumber(civil)
  const thursday = day - dayInWeek(day, 3) + 3
  // A Thursday is at most three days before or behind the day.
  const year = [civil.year + 1, civil.year, civil.year - 1].find((one) => daysSinceEpoch(one, 1, 1) <= thursday)!
  return { year, week: Math.floor((thursday - daysSinceEpoch(year, 1, 1)) / 7) + 1 }
}

const ELEMENT = /%E([0-6*])S|%E4Y|%Ez|%([A-Za-z%])/g

/** Returns a format in which the elements that are short for others are spelled out. */
export function spellOut(format: string): string {
  return format.replace(/%[%FTRDXxc]/g, (element) => SHORTHANDS[element] ?? element)
}

/** The longest format: a row may cost no more than the bytes of the row and of the format. */
const MAX_FORMAT_LENGTH = 1_000

/** Throws if a format is too long. */
export function checkLength(format: string): void {
  if (format.length <= MAX_FORMAT_LENGTH) return
  throw queryError(`The format of a time has more than ${MAX_FORMAT_LENGTH} characters.`)
}

/** Spells a moment as `format_timestamp` does. Throws on an unknown element. */
export function formatTime(format: string, us: Moment): string {
  const civil = civilOf(us)
  return spellOut(format).replace(ELEMENT, (element, digits: string | undefined, letter: string | undefined) => {
    if (digits !== undefined) return secondsWith(civil, digits)
    if (element === '%Ez') return '+00:00'
    if (element === '%E4Y') return pad(civil.year, 4)
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
