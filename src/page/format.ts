/** Numbers and times for people. Times are UTC, as the buckets are. */

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

export const count = (value: number): string => whole.format(value)
export const shortCount = (value: number): string => compact.format(value)

/** Milliseconds: `12.5 ms`, `1.2 s`. */
export function duration(ms: number): string {
  return Math.abs(ms) < 1_000 ? `${precise.format(ms)} ms` : `${precise.format(ms / 1_000)} s`
}

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString()

/** A bucket's time, as exact as its size asks for: `2026-11-20`, `2026-11-20 10:00`, with seconds below a minute. */
export function bucketTime(seconds: number, bucketS: number): string {
  const text = iso(seconds).replace('T', ' ')
  return text.slice(0, bucketS >= 86_400 ? 10 : bucketS >= 60 ? 16 : 19)
}

/** The same for an axis, where the day is known. */
export function tick(seconds: number, stepS: number): string {
  if (stepS >= 86_400) return iso(seconds).slice(5, 10)
  return iso(seconds).slice(11, stepS >= 60 ? 16 : 19)
}

/** Microseconds to the millisecond: `2026-11-20 10:00:00.123`. */
export function moment(us: number): string {
  return new Date(us / 1_000).toISOString().replace('T', ' ').slice(0, 23)
}

/** Seconds since something: `just now`, `3 min ago`. */
export function ago(seconds: number): string {
  return seconds < 60 ? 'just now' : `${Math.floor(seconds / 60)} min ago`
}
