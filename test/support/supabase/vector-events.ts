import { below, oneOf, type Random } from '../random.js'
import { authLine, databaseLine, functionLine, gatewayError, gatewayRequest } from './vector-lines.js'
import { realtimeLine, restLine, storageLine } from './vector-lines-of-services.js'

/**
 * The seven sinks of Supabase's Vector, by the source that each sink names in the URL, and the names of the containers.
 */
const SINKS = {
  'cloudflare.logs.prod': 'supabase-kong',
  'gotrue.logs.prod': 'supabase-auth',
  'postgREST.logs.prod': 'supabase-rest',
  'postgres.logs': 'supabase-db',
  'realtime.logs.prod': 'realtime-dev.supabase-realtime',
  'storage.logs.prod.2': 'supabase-storage',
  'deno-relay-logs': 'supabase-edge-functions',
} as const
export type Sink = keyof typeof SINKS
export const SINK_NAMES = Object.keys(SINKS) as Sink[]

/** The source in which the events of each sink are stored. */
export const SOURCE_OF = {
  'cloudflare.logs.prod': 'edge_logs',
  'gotrue.logs.prod': 'auth_logs',
  'postgREST.logs.prod': 'postgrest_logs',
  'postgres.logs': 'postgres_logs',
  'realtime.logs.prod': 'realtime_logs',
  'storage.logs.prod.2': 'storage_logs',
  'deno-relay-logs': 'function_edge_logs',
} as const satisfies Record<Sink, string>

/** The project of every record of a self-hosted Supabase. */
export const STACK_PROJECT = 'default'

export type JsonObject = Readonly<Record<string, unknown>>

/** An event after the transforms of Vector, on the way to a sink. */
export interface SinkEvent {
  sink: Sink
  /** The number in the message. `undefined` for odd events. */
  number?: number
  /** The JSON object that is sent, with sorted keys as in Vector. */
  event: JsonObject
}

/** A container's line after the transform: the message, and the fields that the transform has added or replaced. */
export interface Transformed {
  event_message: string
  /** Instead of the time at which Docker received the line. */
  timestamp?: string
  metadata?: JsonObject
  severity?: string
  /** Whether a transform has moved the project into the metadata. */
  isProjectMoved?: boolean
}

/** The moment of a line: the time, a number for the message, and chance. */
export interface Moment {
  /** Milliseconds since the epoch. */
  atMs: number
  number: number
  random: Random
}

const LINES: Readonly<Record<Sink, (moment: Moment) => Transformed>> = {
  'cloudflare.logs.prod': (moment) => (below(moment.random, 20) === 0 ? gatewayError(moment) : gatewayRequest(moment)),
  'gotrue.logs.prod': authLine,
  'postgREST.logs.prod': restLine,
  'postgres.logs': databaseLine,
  'realtime.logs.prod': realtimeLine,
  'storage.logs.prod.2': storageLine,
  'deno-relay-logs': functionLine,
}

/** How often each sink gets an event: half of the lines of a busy stack are the gateway's. */
const WEIGHTS: readonly Sink[] = [...SINK_NAMES, ...Array<Sink>(5).fill('cloudflare.logs.prod')]

/** Returns a plain event of any sink, or of a given sink. */
export function vectorEvent(moment: Moment, sink: Sink = oneOf(moment.random, WEIGHTS)): SinkEvent {
  return { sink, number: moment.number, event: eventOf(sink, LINES[sink](moment), moment) }
}

/** Returns plain events, evenly spaced in time, numbered from `first`. */
export function vectorEvents(random: Random, { count, fromMs, stepMs, first = 0 }: Span): SinkEvent[] {
  return Array.from({ length: count }, (_, i) => vectorEvent({ atMs: fromMs + i * stepMs, number: first + i, random }))
}

export interface Span {
  count: number
  /** Milliseconds since the epoch. */
  fromMs: number
  stepMs: number
  /** The number of the first event, 0 by default. */
  first?: number
}

/** Returns the number in the message of a plain event, or NaN without a number. */
export const numberIn = (message: string): number => Number(/\bnr\W?(\d+)/.exec(message)?.[1])

/** Adds the fields that all events have, as Vector does. */
export function eventOf(sink: Sink, transformed: Transformed, { atMs, random }: Pick<Moment, 'atMs' | 'random'>) {
  const { isProjectMoved = false, ...rest } = transformed
  const project = isProjectMoved ? {} : { project: STACK_PROJECT }
  return sorted({ appname: SINKS[sink], timestamp: dockerTime(atMs, random), ...project, ...rest }) as JsonObject
}

/** Returns a time in the form of Docker: with nanoseconds. */
const dockerTime = (atMs: number, random: Random) =>
  new Date(atMs).toISOString().replace('Z', `${below(random, 1e6)}`.padStart(6, '0').concat('Z'))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]))
}
