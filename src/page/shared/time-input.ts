/** Reads the times that a user types, in the zone that times are shown in. */
import { instantOf, wallText, type Zone } from './zone.js'

/** Zone, present and purpose of a time that a user types. */
export interface TimeContext {
  zone: Zone
  nowUs: number
  /** A time that ends a range includes a named day, and the later pass of an hour that clocks show twice. */
  isEnd?: boolean
  /**
   * A time of day is the first instant at or after `fromUs`, unless that instant would be after today. Without
   * `fromUs`, a time of day is the last instant before now.
   */
  fromUs?: number
}

/** Forms of a time, for the user. */
export const TIME_FORMS = '14:03, 2026-11-20, 2026-11-20 14:03:05, yesterday 14:03, 15m (15 minutes ago) or now'

const DAY_MS = 86_400_000
const UNITS_US: Readonly<Record<string, number>> = { s: 1e6, m: 60e6, h: 3_600e6, d: 86_400e6, w: 604_800e6 }

const AGO =
  /^-?(\d{1,9}) ?(?:(s)(?:ecs?|econds?)?|(m)(?:ins?|inutes?)?|(h)(?:rs?|ours?)?|(d)(?:ays?)?|(w)(?:eeks?)?)(?: ago)?$/
const EPOCH = /^\d{9,19}$/
const DATE = /^(?:(\d{4})-(\d{2})-(\d{2})|(today|yesterday))/
const TIME_OF_DAY = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?/
const OFFSET = /^ ?(?:z|utc|([+-])(\d{2}):?(\d{2})?)$/

/**
 * Returns the time of a text, in microseconds since 1970, or undefined if the text is no time. Accepts the
 * {@link TIME_FORMS}, ISO 8601 with an offset, and seconds, milliseconds, microseconds or nanoseconds since 1970.
 */
export function readTime(text: string, context: TimeContext): number | undefined {
  const given = text.trim().toLowerCase().replace(/\s+/g, ' ')
  if (given === 'now') return context.nowUs
  const [, count, ...units] = AGO.exec(given) ?? []
  if (count !== undefined) return context.nowUs - Number(count) * UNITS_US[units.find((unit) => unit !== undefined)!]
  return EPOCH.test(given) ? epochUs(given) : readDate(given, context)
}

/** The unit of a number since 1970, seconds or less, follows from its size, as in records. */
function epochUs(digits: string): number {
  const value = Number(digits)
  if (value < 1e11) return value * 1e6
  if (value < 1e14) return value * 1e3
  return value < 1e17 ? value : Math.floor(value / 1e3)
}

/** A time of day in microseconds, and the remainder of the text. */
interface TimeOfDay {
  us: number
  rest: string
}

function readTimeOfDay(text: string): TimeOfDay | undefined {
  const [all, hours, minutes, seconds = '0', fraction = ''] = TIME_OF_DAY.exec(text) ?? []
  if (all === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const us = Number(fraction.slice(0, 6).padEnd(6, '0'))
  return {
    us: ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1e6 + us,
    rest: text.slice(all.length),
  }
}

function readDate(text: string, context: TimeContext): number | undefined {
  const [named] = DATE.exec(text) ?? []
  if (named === undefined) return readToday(text, context)
  const dayMs = dayOf(named, context)
  if (dayMs === undefined) return undefined
  const rest = text.slice(named.length).replace(/^[t ]/, '')
  if (rest === '') return toUs(context.isEnd ? dayMs + DAY_MS : dayMs, 0, context)
  const time = readTimeOfDay(rest)
  if (time === undefined) return undefined
  if (time.rest === '') return toUs(dayMs, time.us, context)
  const offsetMs = readOffset(time.rest)
  return offsetMs === undefined ? undefined : (dayMs - offsetMs) * 1e3 + time.us
}

/** Returns midnight of a day as if in UTC, or undefined if the day does not exist. */
function dayOf(text: string, { nowUs, zone }: TimeContext): number | undefined {
  const todayMs = Date.parse(`${wallText(nowUs / 1e3, zone).slice(0, 10)}T00:00Z`)
  if (text === 'today') return todayMs
  if (text === 'yesterday') return todayMs - DAY_MS
  const ms = Date.parse(`${text}T00:00Z`)
  // `Date.parse` reads February 30 as March 2.
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text) ? undefined : ms
}

/** Reads a time of day alone. */
function readToday(text: string, context: TimeContext): number | undefined {
  const time = readTimeOfDay(text)
  if (time === undefined || time.rest !== '') return undefined
  const { nowUs, fromUs } = context
  const todayMs = dayOf('today', context)!
  const onDay = (dayMs: number) => toUs(dayMs, time.us, context)
  if (fromUs === undefined) return onDay(todayMs) > nowUs ? onDay(todayMs - DAY_MS) : onDay(todayMs)
  const firstMs = dayOf('today', { ...context, nowUs: fromUs })!
  return onDay(firstMs) < fromUs && firstMs < todayMs ? onDay(firstMs + DAY_MS) : onDay(firstMs)
}

/** Returns how far an offset is ahead of UTC, in milliseconds, or undefined if the text is no offset. */
function readOffset(text: string): number | undefined {
  const [all, sign, hours, minutes = '0'] = OFFSET.exec(text) ?? []
  if (all === undefined || Number(minutes) > 59) return undefined
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** Returns the instant of a day and a time of day in the zone, in microseconds. */
function toUs(dayMs: number, timeUs: number, { zone, isEnd = false }: TimeContext): number {
  const ms = Math.floor(timeUs / 1e3)
  return instantOf(dayMs + ms, zone, isEnd) * 1e3 + (timeUs - ms * 1e3)
}

/** A half-open range of times in microseconds since 1970. Without `toUs`, the range has no end. */
interface TimeRange {
  fromUs: number
  toUs: number | undefined
}

/** A range, or the error of either text. */
export type RangeReading = { range: TimeRange } | { wrong: 'from' | 'to'; message: string }

/** Reads a range from the texts of the start and the end. An empty end, or `now`, is no end: new rows are included. */
export function readRange(from: string, to: string, context: Pick<TimeContext, 'zone' | 'nowUs'>): RangeReading {
  const fromUs = readTime(from, context)
  if (fromUs === undefined) return { wrong: 'from', message: noTime(from) }
  const isOpen = ['', 'now'].includes(to.trim().toLowerCase())
  const toUs = isOpen ? undefined : readTime(to, { ...context, isEnd: true, fromUs })
  if (toUs === undefined && !isOpen) return { wrong: 'to', message: noTime(to) }
  if (toUs !== undefined && toUs <= fromUs) return { wrong: 'to', message: 'The range ends before it starts.' }
  return { range: { fromUs, toUs } }
}

const noTime = (text: string) =>
  text.trim() === '' ? `Enter a time: ${TIME_FORMS}.` : `“${text.trim()}” is no time. Enter ${TIME_FORMS}.`
