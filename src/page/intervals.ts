/** What each interval of the page asks the endpoints for. */

/** A window of time, and the buckets that an endpoint gives over it; both in seconds. */
export interface Window {
  interval: string
  windowS: number
  bucketS: number
}

export interface Interval {
  label: string
  windowS: number
  invocations: Window
  counts: Window
}

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

/** Requests are counted over an hour or over seven days only: each interval shows the nearest of the two that holds it. */
const MINUTELY: Window = { interval: 'minutely', windowS: HOUR, bucketS: MINUTE }
const DAILY: Window = { interval: 'daily', windowS: 7 * DAY, bucketS: DAY }

export const INTERVALS = {
  '5min': invocations('5 min', '5min', 5 * MINUTE, 1, MINUTELY),
  '15min': invocations('15 min', '15min', 15 * MINUTE, MINUTE, MINUTELY),
  '1hr': invocations('1 hour', '1hr', HOUR, MINUTE, MINUTELY),
  '1day': invocations('1 day', '1day', DAY, HOUR, DAILY),
  '7day': invocations('7 days', '7day', 7 * DAY, DAY, DAILY),
} satisfies Record<string, Interval>

export type IntervalName = keyof typeof INTERVALS

export const isInterval = (text: string): text is IntervalName => Object.hasOwn(INTERVALS, text)

function invocations(label: string, interval: string, windowS: number, bucketS: number, counts: Window): Interval {
  return { label, windowS, invocations: { interval, windowS, bucketS }, counts }
}

/** The window that ends now, in words: `last 7 days`, `last hour`. */
export const lastOf = ({ windowS }: Pick<Window, 'windowS'>): string => `last ${inWords(windowS)}`

/** Seconds in words: `7 days`, `minute`. */
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
