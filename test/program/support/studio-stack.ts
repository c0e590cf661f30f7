import { expect } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { microsOf } from '../../support/supabase/expected.js'
import { createStudioServer, type StudioServer } from '../../support/supabase/studio-server.js'
import type { TableName } from '../../support/supabase/studio-tables.js'
import { type Sink, type SinkEvent, vectorEvents } from '../../support/supabase/vector-events.js'
import { type Served, serve } from './program.js'
import { startForSuite } from './suite.js'
import { shipToSinks } from './vector-sinks.js'

export const [PUBLIC, PRIVATE] = ['public-token-of-vector', 'private-token-of-studio']
const MINUTE_MS = 60_000
const [COUNT, STEP_MS] = [1_500, 1_700]
/** The seed of the events. */
export const seed = testSeed()
/** The end of their range, a whole second. */
export const endMs = Math.floor(Date.now() / 1000) * 1000
/** The start of their range. */
export const fromMs = endMs - COUNT * STEP_MS
/** Events of all sinks in the last 43 minutes. */
export const EVENTS = vectorEvents(mulberry32(seed), { count: COUNT, fromMs, stepMs: STEP_MS })
/** The range that pages show, which contains all events. */
export const RANGE = { start: new Date(fromMs - MINUTE_MS).toISOString(), end: new Date(endMs).toISOString() }

/** The sink of each table that has records. */
export const SINK_OF: Partial<Record<TableName, Sink>> = {
  edge_logs: 'cloudflare.logs.prod',
  postgres_logs: 'postgres.logs',
  auth_logs: 'gotrue.logs.prod',
  function_edge_logs: 'deno-relay-logs',
  realtime_logs: 'realtime.logs.prod',
  storage_logs: 'storage.logs.prod.2',
  postgrest_logs: 'postgREST.logs.prod',
}
/** Returns the events that a table has. */
export const eventsOf = (table: TableName) => EVENTS.filter(({ sink }) => sink === SINK_OF[table])
export const messageOf = ({ event }: SinkEvent) => event.event_message as string
export const newestFirst = (a: SinkEvent, b: SinkEvent) => microsOf(b) - microsOf(a)

/** A service with records, and Studio's server for the service. */
export interface Stack {
  service: Served
  studio: StudioServer
}

/** Starts the analytics service of a self-hosted Supabase. */
export const serveSupabase = (
  args: readonly string[] = [],
  { environment, ...options }: Parameters<typeof serve>[1] = {},
): Promise<Served> =>
  serve(['--supabase', ...args], {
    stdin: 'ignore',
    environment: { LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC, LOGFLARE_PRIVATE_ACCESS_TOKEN: PRIVATE, ...environment },
    ...options,
  })

/** Starts a service with the events of all sinks, and Studio's server for the service. */
export async function startStack(
  events: readonly SinkEvent[] = EVENTS,
  args: readonly string[] = [],
  options: Parameters<typeof serve>[1] = {},
): Promise<Stack> {
  const service = await serveSupabase(args, options)
  const { statuses, dropped } = await shipToSinks(service.url, events, { token: PUBLIC })
  expect([Object.keys(statuses).filter((status) => status !== '200'), dropped]).toEqual([[], 0])
  const studio = createStudioServer((path, headers) => fetch(service.url + path, { headers }), PRIVATE)
  return { service, studio }
}

/**
 * Starts a service with the events of all sinks for the tests of a suite that only read. Returns a getter of the stack.
 */
export const stackForSuite = (): (() => Stack) => startForSuite((atEnd) => startStack(EVENTS, [], { atEnd }))
