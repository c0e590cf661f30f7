import type { Zone } from '../../../src/page/shared/zone.js'

/** Returns a time zone of the IANA database, from the data of Node. */
export function intlZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return {
    name,
    offsetMs(instantMs) {
      const parts = new Map(format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]))
      const [year, month, day, hour, minute, second] = (
        ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
      ).map((type) => parts.get(type)!) as [number, number, number, number, number, number]
      const seconds = Math.floor(instantMs / 1_000) * 1_000
      return Date.UTC(year, month - 1, day, hour, minute, second) - seconds
    },
  }
}
