/** Formats numbers and times for users. Times are in UTC, as the buckets are. */

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const shortPrecise = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

/** Returns a number without decimals: `1,234`. */
export const count = (value: number): string => whole.format(value)
/** Returns a number in compact form: `1.2K`. */
export const shortCount = (value: number): string => compact.format(value)

/** Returns any number: whole from 1,000, else with four significant digits: `12,346`, `0.01235`. */
export const number = (value: number): string => (Math.abs(value) < 1_000 ? precise : whole).format(value)
/** Returns any number in compact form, with three significant digits: `1.25K`, `0.012`. */
export const shortNumber = (value: number): string => shortPrecise.format(value)

/** Returns a duration in milliseconds or seconds: `12.5 ms`, `1.2 s`. */
export function duration(ms: number): string {
  return Math.abs(ms) < 1_000 ? `${precise.format(ms)} ms` : `${precise.format(ms / 1_000)} s`
}

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString()

/**
 * Returns a bucket's start: `2026-11-20` for days, `2026-11-20 10:00` for minutes and hours, else with seconds. If
 * `bucketS` is 0, the time may have milliseconds.
 */
export function bucketTime(seconds: number, bucketS: number): string {
  const text = iso(seconds).replace('T', ' ')
  if (bucketS === 0) return text.slice(0, 23).replace('.000', '')
  return text.slice(0, bucketS >= 86_400 ? 10 : bucketS >= 60 ? 16 : 19)
}

/** Returns a time for an axis: year and month for steps of months, month and day for days, else the time of day. */
export function tick(seconds: number, stepS: number): string {
  if (stepS >= 30 * 86_400) return iso(seconds).slice(0, 7)
  if (stepS >= 86_400) return iso(seconds).slice(5, 10)
  return iso(seconds).slice(11, stepS >= 60 ? 16 : 19)
}

/** Returns microseconds since 1970 as a time with milliseconds: `2026-11-20 10:00:00.123`. */
export function timestamp(us: number): string {
  return new Date(us / 1_000).toISOString().replace('T', ' ').slice(0, 23)
}

/** Returns an age in seconds as `just now` or `3 min ago`. */
export function ago(seconds: number): string {
  return seconds < 60 ? 'just now' : `${Math.floor(seconds / 60)} min ago`
}
