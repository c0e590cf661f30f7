import type { JsonObject, SinkEvent } from './vector-events.js'

/** The levels of events that Studio shows, computed the obvious way. */

/** The level at which Studio counts a record. Undefined if Studio does not count the record. */
export type Level = 'ok' | 'warning' | 'error'

/** The microseconds of an event's timestamp, which is in UTC and has nanoseconds or fewer. */
export function microsOf({ event }: SinkEvent): number {
  const text = event.timestamp as string
  const [second, fraction = ''] = text.replace('Z', '').split('.') as [string, string?]
  return Date.parse(`${second}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/** The value at a path of an event's metadata. */
export const fieldOf = ({ event }: SinkEvent, ...path: string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], event.metadata)

const byStatus = (status: number): Level => (status >= 500 ? 'error' : status >= 400 ? 'warning' : 'ok')

/** The level of a record of a sink. */
export function levelOf(event: SinkEvent): Level {
  switch (event.sink) {
    case 'cloudflare.logs.prod':
      return byStatus(fieldOf(event, 'response', 'status_code') as number)
    case 'postgres.logs': {
      const severity = fieldOf(event, 'parsed', 'error_severity') as string
      if (['ERROR', 'FATAL', 'PANIC'].includes(severity)) return 'error'
      return severity === 'WARNING' ? 'warning' : 'ok'
    }
    case 'gotrue.logs.prod':
      return fieldOf(event, 'level') === 'error' ? 'error' : byStatus((fieldOf(event, 'status') as number) ?? 0)
    case 'storage.logs.prod.2':
    case 'realtime.logs.prod': {
      const level = fieldOf(event, 'level') as string
      return level === 'error' ? 'error' : level.startsWith('warn') ? 'warning' : 'ok'
    }
    default:
      return 'ok'
  }
}

/** The number of events of each level, by the ISO time of their bucket, in ascending order. */
export function levelsByBucket(
  events: readonly SinkEvent[],
  bucketMs: number,
  level = levelOf,
): [string, Record<Level, number>][] {
  const buckets = new Map<number, Record<Level, number>>()
  for (const event of events) {
    const startMs = Math.floor(microsOf(event) / 1000 / bucketMs) * bucketMs
    const counts = buckets.get(startMs) ?? { ok: 0, warning: 0, error: 0 }
    counts[level(event)]++
    buckets.set(startMs, counts)
  }
  return [...buckets].sort(([a], [b]) => a - b).map(([ms, counts]) => [new Date(ms).toISOString(), counts])
}
