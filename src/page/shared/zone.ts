/** Time zones: from an instant to the time that a clock on the wall shows, and back. */

/** A time zone. */
export interface Zone {
  /** Name of the zone: `UTC`, `Europe/Berlin`. */
  readonly name: string
  /** Returns how far clocks of the zone are ahead of UTC at an instant, both in milliseconds. */
  offsetMs(instantMs: number): number
}

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]

/** Coordinated universal time. */
export const UTC: Zone = { name: 'UTC', offsetMs: () => 0 }

/** The zone of this machine, as the browser reports. */
export const LOCAL: Zone = {
  name: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  offsetMs: (instantMs) => -new Date(instantMs).getTimezoneOffset() * MINUTE_MS,
}

/** Returns the time that a clock in a zone shows, as an ISO text with milliseconds: `2026-11-20T11:00:00.123`. */
export function wallText(instantMs: number, zone: Zone): string {
  return new Date(instantMs + zone.offsetMs(instantMs)).toISOString().slice(0, -1)
}

/**
 * Returns the instant at which a clock in a zone shows a time, given as if in UTC, both in milliseconds. If clocks are
 * set back, they show an hour twice: `isLater` chooses the second pass. If clocks are set forward, they skip an hour: a
 * time in the skipped hour is read as if clocks had not been set, so the instant is after the hour.
 */
export function instantOf(wallMs: number, zone: Zone, isLater = false): number {
  const before = wallMs - zone.offsetMs(wallMs - DAY_MS)
  const after = wallMs - zone.offsetMs(wallMs + DAY_MS)
  const shown = [before, after].filter((instantMs) => instantMs + zone.offsetMs(instantMs) === wallMs)
  if (shown.length === 0) return before
  return isLater ? Math.max(...shown) : Math.min(...shown)
}

/** Returns the distance of a zone from UTC at an instant: `UTC`, `+05:30`, `-03:00`. */
export function offsetText(instantMs: number, zone: Zone): string {
  if (zone.name === UTC.name) return UTC.name
  const minutes = Math.round(zone.offsetMs(instantMs) / MINUTE_MS)
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${padded(hours)}:${padded(rest)}`
}

const padded = (value: number) => String(value).padStart(2, '0')
