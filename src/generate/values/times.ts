import { DAY_US, SECOND_US } from '../../base/units.js'

/** Formats times, in UTC. */
export interface TimeFormatter {
  /** `2026-11-20T10:00:00.123456Z` */
  iso(timestampUs: number): string
  /** `Fri, 20 Nov 2026 10:00:00 GMT` */
  http(timestampUs: number): string
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))

/** Creates a formatter. The formatter caches the date of the last day, which successive records mostly share. */
export function createTimeFormatter(): TimeFormatter {
  let day = Number.NaN
  let isoDate = ''
  let httpDate = ''
  const setDay = (timestampUs: number) => {
    const newDay = Math.floor(timestampUs / DAY_US)
    if (newDay === day) return
    const date = new Date(newDay * (DAY_US / 1000))
    day = newDay
    isoDate = date.toISOString().slice(0, 10)
    httpDate = date.toUTCString().slice(0, 16)
  }
  return {
    iso(timestampUs) {
      setDay(timestampUs)
      return `${isoDate}T${clockTime(timestampUs - day * DAY_US)}.${sixDigits(timestampUs % SECOND_US)}Z`
    },
    http(timestampUs) {
      setDay(timestampUs)
      return `${httpDate} ${clockTime(timestampUs - day * DAY_US)} GMT`
    },
  }
}

/** Returns a time of day as `HH:MM:SS`. */
function clockTime(timeUs: number): string {
  const seconds = Math.floor(timeUs / SECOND_US)
  const minutes = Math.floor(seconds / 60)
  return `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`
}

function sixDigits(n: number): string {
  return `${TWO_DIGITS[Math.floor(n / 10_000)]}${TWO_DIGITS[Math.floor(n / 100) % 100]}${TWO_DIGITS[n % 100]}`
}
