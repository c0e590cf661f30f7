import type { SourceName } from '../../../src/common/sources.js'
import { at } from '../../cases/case.js'
import type { PartialRecord, TestRecord } from '../../support/records.js'

/** Microseconds since the epoch of a time on 2026-11-24, a Tuesday, as `10:01:20.123456`. */
export const time = (clock: string): number => at(`2026-11-24T${clock}Z`)

/** A record of any source. Metadata is JSON text or an object. */
export function recordOf(source: SourceName, given: PartialRecord): TestRecord {
  const metadata = given.metadata ?? '{}'
  return {
    source,
    id: '',
    timestampUs: time('10:00:00'),
    project: 'shop',
    event_message: '',
    ...given,
    metadata: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  }
}

/** Records with the values `x` in their metadata and the ids 1, 2, …, of a project of their own. */
export const withValues = (project: string, values: readonly unknown[], source: SourceName = 'edge_logs') =>
  values.map((x, i) => recordOf(source, { id: String(i + 1), project, metadata: x === undefined ? {} : { x } }))

const request = (method: string, path: string, userAgent?: string) => ({
  method,
  path,
  headers: [userAgent === undefined ? {} : { user_agent: userAgent }],
})

function edge(id: string, clock: string, event_message: string, metadata: object): TestRecord {
  return recordOf('edge_logs', { id, timestampUs: time(clock), event_message, metadata })
}

function postgres(id: string, clock: string, event_message: string, parsed: object): TestRecord {
  const metadata = { host: 'db-1', parsed: [parsed] }
  return recordOf('postgres_logs', { id, timestampUs: time(clock), event_message, metadata })
}

function auth(id: string, clock: string, message: string | object, metadata: object): TestRecord {
  const event_message = typeof message === 'string' ? message : JSON.stringify(message)
  return recordOf('auth_logs', { id, timestampUs: time(clock), event_message, metadata })
}

/** Six requests: five with metadata, in both forms of JSON, and a request without metadata. */
const EDGE: readonly TestRecord[] = [
  edge('e1', '10:00:00', 'GET | 200 | /rest/v1/users', {
    request: [request('GET', '/rest/v1/users', 'curl/8.1')],
    response: [{ status_code: 200, origin_time: 12 }],
  }),
  edge('e2', '10:00:30.5', 'POST | 201 | /rest/v1/orders', {
    request: request('POST', '/rest/v1/orders', 'node'),
    response: { status_code: 201, origin_time: 30 },
  }),
  edge('e3', '10:01:10', 'GET | 401 | /auth/v1/token', {
    request: [request('GET', '/auth/v1/token', 'curl/8.1')],
    response: [{ status_code: 401, origin_time: 5 }],
  }),
  edge('e4', '10:01:20.123456', 'GET | 500 | /rest/v1/users', {
    request: [request('GET', '/rest/v1/users', 'node')],
    response: [{ status_code: 500, origin_time: 250 }],
  }),
  edge('e5', '10:02:00', 'GET | 503 | /storage/v1/cat.png', {
    request: [request('GET', '/storage/v1/cat.png')],
    response: [{ status_code: 503, origin_time: 1000.5 }],
  }),
  edge('e6', '10:02:05', 'no metadata', {}),
]

const POSTGRES: readonly TestRecord[] = [
  postgres('p1', '09:59:00', 'connection authorized: user=web', {
    error_severity: 'LOG',
    user_name: 'web',
    application_name: 'psql',
  }),
  postgres('p2', '10:00:10', 'relation "carts" does not exist', {
    error_severity: 'ERROR',
    user_name: 'web',
    sql_state_code: '42P01',
  }),
  postgres('p3', '10:03:00', 'password authentication failed for user "it\'s"', {
    error_severity: 'FATAL',
    user_name: "it's",
    sql_state_code: '28P01',
  }),
  postgres('p4', '10:04:00', 'checkpoint complete: 100%', { error_severity: 'LOG' }),
]

const AUTH: readonly TestRecord[] = [
  auth('a1', '10:01:00', { duration: 1_200_000, status: 200, path: '/token' }, { level: 'info', status: 200 }),
  auth('a2', '10:02:00', { duration: 3_400_000, status: 400, error: 'grant' }, { level: 'error', status: 400 }),
  auth('a3', '10:03:00', 'no JSON', { level: 'info' }),
]

const FUNCTIONS: readonly TestRecord[] = [
  { id: 'f1', clock: '10:00:00', function_id: 'fn-a', execution_time_ms: 12.5, status_code: 200 },
  { id: 'f2', clock: '10:10:00', function_id: 'fn-a', execution_time_ms: 100, status_code: 500 },
  { id: 'f3', clock: '11:05:00', function_id: 'fn-b', execution_time_ms: 7, status_code: 200 },
].map(({ id, clock, status_code, ...metadata }) =>
  recordOf('function_edge_logs', {
    id,
    timestampUs: time(clock),
    metadata: { ...metadata, request: [{ method: 'POST' }], response: [{ status_code }] },
  }),
)

const OTHERS: readonly TestRecord[] = [
  recordOf('function_logs', { id: 'l1', event_message: 'hello', metadata: { level: 'info', event_type: 'Log' } }),
  recordOf('function_logs', { id: 'l2', event_message: 'boom', metadata: { level: 'error', event_type: 'Log' } }),
  recordOf('realtime_logs', { id: 'r1', event_message: 'joined', metadata: { level: 'info' } }),
  recordOf('storage_logs', { id: 's1', event_message: 'stored', metadata: { level: 'info' } }),
  recordOf('postgrest_logs', { id: 'g1', event_message: 'schema cache loaded' }),
  recordOf('pgbouncer_logs', { id: 'b1', event_message: 'stats: 5 xacts/s' }),
]

/** Records of all nine sources that most cases are about, of the project `shop`. */
export const SHOP: readonly TestRecord[] = [...EDGE, ...POSTGRES, ...AUTH, ...FUNCTIONS, ...OTHERS]
