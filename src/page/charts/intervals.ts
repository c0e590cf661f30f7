/** The intervals of the page, and the parameters of the endpoints for each. */
import type { Window } from '../plot/buckets.js'

/** An endpoint's parameter `interval`, with the window and the buckets of its answer. */
export interface IntervalWindow extends Window {
  interval: string
}

/** An interval that the user can choose. */
export interface Interval {
  label: string
  windowS: number
  invocations: IntervalWindow
  counts: IntervalWindow
}

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

/** Requests are counted over one hour or seven days only: each interval shows the smaller one that contains it. */
const MINUTELY: IntervalWindow = { interval: 'minutely', windowS: HOUR, bucketS: MINUTE }
const DAILY: IntervalWindow = { interval: 'daily', windowS: 7 * DAY, bucketS: DAY }

/** The intervals by name, in the order of their buttons. */
export const INTERVALS = {
  '5min': invocations('5 min', '5min', 5 * MINUTE, 1, MINUTELY),
  '15min': invocations('15 min', '15min', 15 * MINUTE, MINUTE, MINUTELY),
  '1hr': invocations('1 hour', '1hr', HOUR, MINUTE, MINUTELY),
  '1day': invocations('1 day', '1day', DAY, HOUR, DAILY),
  '7day': invocations('7 days', '7day', 7 * DAY, DAY, DAILY),
} satisfies Record<string, Interval>

/** Name of an interval, as it is in the page's URL. */
export type IntervalName = keyof typeof INTERVALS

/** Returns whether a text is the name of an interval. */
export const isInterval = (text: string): text is IntervalName => Object.hasOwn(INTERVALS, text)

function invocations(
  label: string,
  interval: string,
  windowS: number,
  bucketS: number,
  counts: IntervalWindow,
): Interval {
  return { label, windowS, invocations: { interval, windowS, bucketS }, counts }
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
