import { below, oneOf } from '../random.js'
import type { Moment, Transformed } from './vector-events.js'
import { accessTime } from './vector-lines.js'

/** Lines of the REST API, realtime and storage after the transforms of Vector. */

/**
 * A line of PostgREST. Half of the lines begin with a time and a colon, the others are access lines and stay unchanged.
 */
export function restLine({ atMs, number, random }: Moment): Transformed {
  if (below(random, 2) === 0) {
    const line = `172.18.0.5 - anon [${accessTime(atMs)}] "GET /todos?nr=${number} HTTP/1.1" 200 - "" "node"`
    return { event_message: line }
  }
  return {
    event_message: `Schema cache nr ${number} loaded 14 Relations, 6 Relationships, 9 Functions`,
    timestamp: new Date(atMs).toISOString().replace(/\.\d+/, ''),
    metadata: { host: 'default' },
  }
}

/** A line of realtime: the time of day and the level are cut from the message. */
export const realtimeLine = ({ number, random }: Moment): Transformed => ({
  event_message: `Billing metrics nr ${number}: [:realtime, :rate_counter, :channel, :events]`,
  metadata: {
    external_id: 'default',
    level: oneOf(random, ['debug', 'info', 'warning', 'error']),
    project: 'default',
  },
  isProjectMoved: true,
})

/** A JSON line of storage: only the message, level, time, host and process id are kept. */
export const storageLine = ({ atMs, number, random }: Moment): Transformed => ({
  event_message: `${oneOf(random, ['GET | 200', 'PUT | 200', 'GET | 404'])} | nr-${number} | /object/a.png | node`,
  metadata: {
    context: [{ host: '5c1f3a9be6d2', pid: 1 }],
    level: oneOf(random, ['info', 'info', 'warn', 'error']),
    project: 'default',
    tenantId: 'default',
    timestamp: new Date(atMs).toISOString(),
  },
  isProjectMoved: true,
})
