import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../units.js'

/** The lengths of time buckets in microseconds. Buckets start at multiples of their length since the epoch, in UTC. */
export const BUCKET_US = { second: SECOND_US, minute: MINUTE_US, hour: HOUR_US, day: DAY_US } as const

/** Returns the start of the bucket that contains `timestampUs`. */
export function truncate(timestampUs: number, unit: keyof typeof BUCKET_US): number {
  return Math.floor(timestampUs / BUCKET_US[unit]) * BUCKET_US[unit]
}

/** Returns the last microsecond of the bucket that contains `timestampUs`. */
export function bucketEnd(timestampUs: number, unit: keyof typeof BUCKET_US): number {
  return truncate(timestampUs, unit) + BUCKET_US[unit] - 1
}

/** Formats a time as `YYYY-MM-DDTHH:MM:SS` in UTC, truncated to the second. */
export function datetime(timestampUs: number): string {
  return new Date(Math.floor(timestampUs / 1000)).toISOString().slice(0, 19)
}
