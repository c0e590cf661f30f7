import type { Random } from '../random.js'
import { eventOf, type Sink, type SinkEvent, type Transformed } from './vector-events.js'

/** The offset of India. */
const OFFSET_MS = 5.5 * 3_600_000

/**
 * Returns an event of each kind that is no plain line, all at the same time. Every event has to be stored: if a single
 * event is refused, Vector drops the whole batch.
 */
export function oddEvents(random: Random, atMs: number): SinkEvent[] {
  const text = (ms: number) => new Date(ms).toISOString()
  const odd: [Sink, Transformed][] = [
    // Headers that were not sent are `-` in the line, and null behind the transform.
    [
      'cloudflare.logs.prod',
      {
        event_message: `172.18.0.1 - - [24/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 401 26 "-" "-"`,
        timestamp: text(atMs),
        metadata: {
          request: {
            headers: { cf_connecting_ip: '172.18.0.1', referer: null, user_agent: null },
            method: 'GET',
            path: '/',
            protocol: 'HTTP/1.1',
          },
          response: { status_code: 401 },
        },
      },
    ],
    // A start-up warning of the gateway has neither client nor request.
    [
      'cloudflare.logs.prod',
      {
        event_message: `${text(atMs)} [warn] 1#0: the "user" directive makes sense only with super-user privileges`,
        timestamp: text(atMs),
        severity: 'warn',
        metadata: {
          request: { headers: { cf_connecting_ip: null }, host: null, method: 'GET' },
          response: { status_code: 200 },
        },
      },
    ],
    // A line of GoTrue that is no JSON stays without metadata.
    ['gotrue.logs.prod', { event_message: 'GoTrue migrations applied successfully' }],
    // A JSON line with a text as status, and without a time.
    [
      'gotrue.logs.prod',
      {
        event_message: '{"level":"warning","status":"429","msg":"over_request_rate_limit"}',
        metadata: { level: 'warning', status: '429', msg: 'over_request_rate_limit', timestamp: null },
      },
    ],
    // GoTrue in a container with a time zone writes the offset. The transform copies the offset into the metadata.
    ['gotrue.logs.prod', offsetLine(atMs)],
    // Older transforms take the text before the last colon as the time.
    [
      'postgREST.logs.prod',
      {
        event_message: 'Listening on port 3000',
        timestamp: '24/Nov/2026:12:00:00 +0000',
        metadata: { host: 'default' },
      },
    ],
    [
      'postgREST.logs.prod',
      {
        event_message: 'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed',
        timestamp: '24/Nov/2026:12:00:00 +0000: Failed to query the database',
        metadata: { host: 'default' },
      },
    ],
    // A line without a severity, and an event with several lines.
    [
      'postgres.logs',
      {
        event_message: '\tat character 15\n\tstatement: select "ä" from 日本語 🐘',
        metadata: { host: 'db-default', parsed: { error_severity: 'LOG', timestamp: text(atMs) } },
      },
    ],
    // The pattern of the severity takes PANI as well.
    [
      'postgres.logs',
      {
        event_message: 'PANI: ',
        metadata: { host: 'db-default', parsed: { error_severity: 'PANI', timestamp: text(atMs) } },
      },
    ],
    // A line of realtime without time of day has no level.
    [
      'realtime.logs.prod',
      { event_message: 'iex> ', metadata: { external_id: 'default', project: 'default' }, isProjectMoved: true },
    ],
    // A line of storage that is no JSON, and a JSON line that has none of the kept fields.
    [
      'storage.logs.prod.2',
      {
        event_message: 'running migrations',
        metadata: { project: 'default', tenantId: 'default' },
        isProjectMoved: true,
      },
    ],
    [
      'storage.logs.prod.2',
      {
        event_message: '',
        metadata: {
          context: [{ host: null, pid: null }],
          level: null,
          project: 'default',
          tenantId: 'default',
          timestamp: null,
        },
        isProjectMoved: true,
      },
    ],
    ['deno-relay-logs', { event_message: '\n', metadata: { project_ref: 'default' }, isProjectMoved: true }],
  ]
  return odd.map(([sink, transformed]) => ({ sink, event: eventOf(sink, transformed, { atMs, random }) }))
}

function offsetLine(atMs: number): Transformed {
  const time = new Date(atMs + OFFSET_MS).toISOString().replace(/\.\d+Z$/, '+05:30')
  const fields = { level: 'info', msg: 'request completed', path: '/health', status: 200, time }
  return { event_message: JSON.stringify(fields), metadata: { timestamp: time, ...fields } }
}
