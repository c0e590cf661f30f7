/** The intervals of the charts, and the parameters of the endpoints for each. */
import type { Window } from '../plot/buckets.js'

/** An endpoint's parameter `interval`, with the window and the buckets of its answer. */
export interface IntervalWindow extends Window {
  interval: string
}

/** An interval that charts are over. */
export interface Interval {
  windowS: number
  invocations: IntervalWindow
  counts: IntervalWindow
}

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

/** Requests are counted over one hour or seven days only: each interval shows the smaller one that contains it. */
const MINUTELY: IntervalWindow = { interval: 'minutely', windowS: HOUR, bucketS: MINUTE }
const DAILY: IntervalWindow = { interval: 'daily', windowS: 7 * DAY, bucketS: DAY }

/** The intervals by name, the shortest first. */
export const INTERVALS = {
  '5min': intervalWith('5min', 5 * MINUTE, 1, MINUTELY),
  '15min': intervalWith('15min', 15 * MINUTE, MINUTE, MINUTELY),
  '1hr': intervalWith('1hr', HOUR, MINUTE, MINUTELY),
  '1day': intervalWith('1day', DAY, HOUR, DAILY),
  '7day': intervalWith('7day', 7 * DAY, DAY, DAILY),
} satisfies Record<string, Interval>

/** Name of an interval. */
export type IntervalName = keyof typeof INTERVALS

/** Returns the shortest interval that has at least `windowS` seconds; the longest if none has. */
export function intervalOf(windowS: number): IntervalName {
  const names = Object.keys(INTERVALS) as IntervalName[]
  return names.find((name) => INTERVALS[name].windowS >= windowS) ?? names.at(-1)!
}

function intervalWith(interval: string, windowS: number, bucketS: number, counts: IntervalWindow): Interval {
  return { windowS, invocations: { interval, windowS, bucketS }, counts }
}

/** Returns a window that ends now in words: `last 7 days`, `last hour`. */
export const lastOf = ({ windowS }: Pick<Window, 'windowS'>): string => `last ${inWords(windowS)}`

/** Returns a duration in words: `7 days`, `minute`. */
export function inWords(seconds: number): string {
  const [size, name] = UNITS.find(([unitS]) => seconds >= unitS)!
  const count = seconds / size
  return count === 1 ? name : `${count} ${name}s`
}

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [1, 'second'],
] as const
