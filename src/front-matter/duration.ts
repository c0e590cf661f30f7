import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../base/units.js'

const UNITS_US: Readonly<Record<string, number>> = { s: SECOND_US, m: MINUTE_US, h: HOUR_US, d: DAY_US }
const DURATION = /^(\d{1,9}) ?([smhd])$/

/** Reads a length of time such as 30s, 2m, 4h or 1d, in microseconds. Undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * UNITS_US[unit!]
}

/** Returns a length of time as written in a file: 30s, 2m, 4h, 1d. */
export function durationText(us: number): string {
  const unit = us === 0 ? 's' : ['d', 'h', 'm', 's'].find((one) => us % UNITS_US[one] === 0)
  return unit === undefined ? `${us / SECOND_US}s` : `${us / UNITS_US[unit]}${unit}`
}
