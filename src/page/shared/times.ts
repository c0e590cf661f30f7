/** The times of the page: in UTC or in the zone of this machine, as the user chooses. */
import { storedIn } from './stored.js'
import { LOCAL, offsetText, UTC, wallText, type Zone } from './zone.js'

const DAY_S = 86_400

const stored = storedIn('localStorage', 'logweir-times')
let zone: Zone = stored.read() === 'utc' ? UTC : LOCAL

/** Returns the zone that times are shown in. */
export const currentZone = (): Zone => zone

/** Returns the name of the zone that times are shown in, to be shown next to the times: `UTC`, `Europe/Berlin`. */
export const zoneName = (): string => zone.name

/**
 * Lets a button switch between UTC and local time. The text of the button names the chosen zone. `onChange` is called
 * after each switch.
 */
export function startTimes(button: HTMLButtonElement, onChange: () => void): { toggle(): void } {
  const say = () => {
    const other = zone === UTC ? `local time, ${LOCAL.name}` : 'UTC'
    button.textContent = zone === UTC ? 'UTC' : 'Local time'
    button.title = `Times are in ${zone === UTC ? 'UTC' : `local time, ${LOCAL.name}`}. Show them in ${other} (z)`
  }
  const toggle = () => {
    zone = zone === UTC ? LOCAL : UTC
    stored.write(zone === UTC ? 'utc' : 'local')
    say()
    onChange()
  }
  button.addEventListener('click', toggle)
  say()
  return { toggle }
}

/** Returns microseconds since 1970 as a time with milliseconds: `2026-11-20 10:00:00.123`. */
export function timestamp(us: number): string {
  return wallText(Math.floor(us / 1_000), zone).replace('T', ' ')
}

/** Returns microseconds since 1970 with all digits and the zone: `2026-11-20 10:00:00.123456 UTC`, `… +01:00`. */
export function fullTime(us: number | bigint, inZone = zone): string {
  const restUs =
    typeof us === 'number' ? us - Math.floor(us / 1_000) * 1_000 : Number(((us % 1_000n) + 1_000n) % 1_000n)
  const ms = Number(typeof us === 'number' ? us - restUs : us - BigInt(restUs)) / 1_000
  const micros = String(restUs).padStart(3, '0')
  return `${wallText(ms, inZone).replace('T', ' ')}${micros} ${offsetText(ms, inZone)}`
}

/**
 * Returns a bucket's start: `2026-11-20` for days, `2026-11-20 10:00` for minutes and hours, else with seconds. Buckets
 * of days begin in UTC, so buckets of days have a time of day in other zones. If `bucketS` is 0, the time may have
 * milliseconds.
 */
export function bucketTime(seconds: number, bucketS: number): string {
  const text = wallText(seconds * 1_000, zone).replace('T', ' ')
  if (bucketS === 0) return text.replace('.000', '')
  if (bucketS >= DAY_S && text.endsWith('00:00:00.000')) return text.slice(0, 10)
  return text.slice(0, bucketS >= 60 ? 16 : 19)
}

/**
 * Returns a time for an axis: year and month for steps of months, month and day for days, at midnight, and if the
 * previous tick is of another day, else the time of day.
 */
export function tick(seconds: number, stepS: number, beforeS = seconds): string {
  const text = wallText(seconds * 1_000, zone)
  if (stepS >= 30 * DAY_S) return text.slice(0, 7)
  const day = text.slice(5, 10)
  const isNewDay = text.endsWith('T00:00:00.000') || wallText(beforeS * 1_000, zone).slice(5, 10) !== day
  return stepS >= DAY_S || isNewDay ? day : text.slice(11, stepS >= 60 ? 16 : 19)
}

/** Returns a duration in words: `7 days`, `minute`, `30 seconds`. */
export function inWords(seconds: number): string {
  const [size, name] = UNITS.find(([unitS]) => seconds >= unitS && seconds % unitS === 0) ?? UNITS.at(-1)!
  const length = seconds / size
  return length === 1 ? name : `${length} ${name}s`
}

const UNITS = [
  [DAY_S, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const
