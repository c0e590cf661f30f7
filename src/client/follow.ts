import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { escapeControl } from '../base/escape-control.js'
import type { Log } from '../base/log.js'
import { MIB } from '../base/units.js'
import { type Answer, describeError, ServiceError } from './service.js'

/** Follows a stream of server-sent events (WHATWG HTML, "Server-sent events") over broken connections. */

export interface FollowParts {
  /** Asks for the stream; rejects with a {@link ServiceError}. */
  ask(headers: Record<string, string>, signal: AbortSignal): Promise<Answer>
  /** Takes the data of an event; the next one waits for it. */
  onRow(data: string): Promise<void>
  /** Hears of connections that end, and of what the service says besides rows. */
  tell: Log
  limits?: Partial<FollowLimits>
}

export interface FollowLimits {
  /** A service sends something, if only a comment, far more often; after this the connection counts as lost. */
  silentMs: number
  /** Until the service says otherwise, between a connection's end and the next attempt. */
  retryMs: number
  /** Attempts that fail double the pause up to this. */
  mostRetryMs: number
  /** An event is held whole. */
  mostEventCharacters: number
}

export const FOLLOW_LIMITS: FollowLimits = {
  silentMs: 60_000,
  retryMs: 2_000,
  mostRetryMs: 60_000,
  mostEventCharacters: 32 * MIB,
}

const EVENT_STREAM = 'text/event-stream'
/** Statuses that another attempt may mend. */
const PASSING = new Set([408, 429, 500, 502, 503, 504])
/** What a header can carry. */
const PLAIN = /^[\x21-\x7e]+$/

/** What outlasts a connection. */
interface State {
  lastEventId: string | undefined
  retryMs: number
  /** Attempts since the last event. */
  failures: number
  hasConnected: boolean
  /** Whether the connection was told to be lost, and is not back. */
  isLost: boolean
}

/**
 * Hands over each row until the signal, which ends it without an error. When a connection ends it asks again, from the last
 * event on, after growing pauses. Rejects with a {@link ServiceError} where another attempt would mend nothing, and where
 * the first one reaches nobody; with whatever `onRow` rejects with.
 */
export async function follow(parts: FollowParts, signal: AbortSignal): Promise<void> {
  const limits = { ...FOLLOW_LIMITS, ...parts.limits }
  const state: State = {
    lastEventId: undefined,
    retryMs: limits.retryMs,
    failures: 0,
    hasConnected: false,
    isLost: false,
  }
  while (!signal.aborted) {
    const error = await connect(parts, limits, state, signal)
    if (signal.aborted) return
    if (error !== undefined && !isPassing(error, state)) throw error
    if (!state.isLost) parts.tell(`${error?.message ?? 'the service ended the stream.'} Trying again.`)
    state.isLost = true
    await pause(error, limits, state, signal)
  }
}

/** One connection, until it ends. Gives the error that it ended with; rejects with what `onRow` rejects with. */
async function connect(
  { ask, onRow, tell }: FollowParts,
  limits: FollowLimits,
  state: State,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const silent = watchSilence(limits.silentMs)
  try {
    const either = AbortSignal.any([signal, silent.signal])
    const headers: Record<string, string> = { Accept: EVENT_STREAM }
    if (state.lastEventId !== undefined) headers['Last-Event-ID'] = state.lastEventId
    const answer = await ask(headers, either)
    checkType(answer)
    if (state.isLost) tell('connected again.')
    Object.assign(state, { hasConnected: true, isLost: false })
    for await (const event of eventsOf(answer, limits, state, silent)) {
      state.failures = 0
      if (event.event === undefined) await onRow(event.data)
      else tellOf(event, tell)
      if (event.id !== undefined && PLAIN.test(event.id)) state.lastEventId = event.id
    }
    return undefined
  } catch (error) {
    if (silent.signal.aborted) return new ServiceError(`the service sent nothing for ${limits.silentMs / 1000} s.`)
    if (signal.aborted || error instanceof ServiceError) return error as ServiceError
    throw error
  } finally {
    silent.stop()
  }
}

function checkType({ type }: Answer): void {
  if (type === EVENT_STREAM) return
  throw new ServiceError(`the service answers with the media type ${type || '(none)'} instead of a stream of events.`, {
    status: 200,
  })
}

/** The events of an answer, in order; no more is read while one is being handled. */
async function* eventsOf({ body }: Answer, limits: FollowLimits, state: State, silent: Silence) {
  let [events, error]: [EventSourceMessage[], ServiceError | undefined] = [[], undefined]
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onRetry(retryMs) {
      state.retryMs = retryMs
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') error = new ServiceError('an event is too long.', { status: 200 })
    },
    maxBufferSize: limits.mostEventCharacters,
  })
  const decoder = new TextDecoder()
  silent.start()
  for await (const chunk of body) {
    // A reader that pauses is no silence of the service.
    silent.stop()
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events
    events = []
    if (error !== undefined) throw error
    silent.start()
  }
}

type Silence = ReturnType<typeof watchSilence>

/** A signal that comes when a silence has lasted. */
function watchSilence(silentMs: number) {
  const silence = new AbortController()
  let timer: NodeJS.Timeout | undefined
  return {
    signal: silence.signal,
    start() {
      timer = setTimeout(() => silence.abort(), silentMs)
    },
    stop: () => clearTimeout(timer),
  }
}

/** What the service says besides rows: records that were passed over, a reader that was too slow. */
function tellOf({ event, data }: EventSourceMessage, tell: Log): void {
  tell(describeError(data) ?? escapeControl(`the service says ${event}: ${data.slice(0, 200)}`))
}

function isPassing({ status }: ServiceError, { hasConnected }: State): boolean {
  return status === undefined ? hasConnected : PASSING.has(status)
}

async function pause(error: ServiceError | undefined, limits: FollowLimits, state: State, signal: AbortSignal) {
  const growing = state.retryMs * 2 ** Math.min(state.failures, 16)
  const ms = Math.min(Math.max(growing, error?.retryAfterMs ?? 0), limits.mostRetryMs)
  state.failures++
  await sleep(ms, undefined, { signal }).catch(() => {})
}
