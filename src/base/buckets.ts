import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from './units.js'

/** The length of each bucket of time, in microseconds. Buckets start at multiples of it since the epoch: UTC. */
export const BUCKET_US = { second: SECOND_US, minute: MINUTE_US, hour: HOUR_US, day: DAY_US } as const

/** The start of the bucket that holds `timestampUs`. */
export function truncate(timestampUs: number, unit: keyof typeof BUCKET_US): number {
  return Math.floor(timestampUs / BUCKET_US[unit]) * BUCKET_US[unit]
}

/** The last microsecond of the bucket that holds `timestampUs`. */
export function bucketEnd(timestampUs: number, unit: keyof typeof BUCKET_US): number {
  return truncate(timestampUs, unit) + BUCKET_US[unit] - 1
}

/** `YYYY-MM-DDTHH:MM:SS`, UTC; what is below a second is cut. */
export function datetime(timestampUs: number): string {
  return new Date(Math.floor(timestampUs / 1000)).toISOString().slice(0, 19)
}
