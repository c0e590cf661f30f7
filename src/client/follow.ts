import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { Log } from '../base/log.js'
import { escapeControl } from '../base/text/escape-control.js'
import { MIB } from '../base/units.js'
import { describeError, readErrorBody } from './error-body.js'
import { type Answer, ServiceError } from './service.js'

// Follows a stream of server-sent events (WHATWG HTML, "Server-sent events") and reconnects.

/** An event of a stream: the type and the id if the event has them, and the data. */
export type ServerEvent = EventSourceMessage

/** The functions that {@link follow} calls. */
export interface FollowOptions {
  /** Requests the stream, or rejects with a {@link ServiceError}. */
  connect(headers: Record<string, string>, signal: AbortSignal): Promise<Answer>
  /** Called with each event. The next call waits until the promise resolves. */
  onEvent(event: ServerEvent): Promise<void>
  /** Called when a connection ends or is restored. */
  log: Log
  limits?: Partial<FollowLimits>
}

/** The limits of {@link follow}. */
export interface FollowLimits {
  /** Silence after which the connection counts as lost. A service sends at least comments far more often. */
  silentMs: number
  /** The pause before reconnecting, until the service sends another pause. */
  retryMs: number
  /** The largest pause: each failed attempt doubles the pause. */
  maxRetryMs: number
  /** The longest event, which is buffered completely. */
  maxEventCharacters: number
}

/** The limits in use. Tests take smaller limits. */
export const FOLLOW_LIMITS: FollowLimits = {
  silentMs: 60_000,
  retryMs: 2_000,
  maxRetryMs: 60_000,
  maxEventCharacters: 32 * MIB,
}

const EVENT_STREAM = 'text/event-stream'
/** Statuses after which a retry may succeed. */
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504])
/** Characters that a header can contain. */
const PLAIN = /^[\x21-\x7e]+$/

/** State that is kept across connections. */
interface State {
  lastEventId: string | undefined
  retryMs: number
  /** Failed attempts since the last event. */
  failures: number
  hasConnected: boolean
  /** Whether a lost connection was logged and is not restored yet. */
  isLost: boolean
}

/**
 * Calls `onEvent` with each event until the signal is aborted, then resolves. Reconnects when a connection ends, after
 * growing pauses, and continues after the last event. Rejects with a {@link ServiceError} if a retry cannot succeed or
 * if the first attempt does not reach a service, and with the error of `onEvent`.
 */
export async function follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const limits = { ...FOLLOW_LIMITS, ...options.limits }
  const state: State = {
    lastEventId: undefined,
    retryMs: limits.retryMs,
    failures: 0,
    hasConnected: false,
    isLost: false,
  }
  while (!signal.aborted) {
    const error = await readConnection(options, limits, state, signal)
    if (signal.aborted) return
    if (error !== undefined && !isTemporary(error, state)) throw error
    if (!state.isLost) options.log(`${error?.message ?? 'the service ended the stream.'} Trying again.`)
    state.isLost = true
    await pause(error, limits, state, signal)
  }
}

/** Reads a connection to the end. Resolves with the error that ended it. Rejects with the error of `onEvent`. */
async function readConnection(
  { connect, onEvent, log }: FollowOptions,
  limits: FollowLimits,
  state: State,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const silent = watchSilence(limits.silentMs)
  try {
    const either = AbortSignal.any([signal, silent.signal])
    const headers: Record<string, string> = { Accept: EVENT_STREAM }
    if (state.lastEventId !== undefined) headers['Last-Event-ID'] = state.lastEventId
    const answer = await connect(headers, either)
    checkType(answer)
    if (state.isLost) log('connected again.')
    Object.assign(state, { hasConnected: true, isLost: false })
    for await (const event of eventsOf(answer, limits, state, silent)) {
      state.failures = 0
      await onEvent(event)
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

/** Returns the error about an event that this program does not understand. */
export const unreadableEvent = () =>
  new ServiceError('the service sent an event that is not understood. Is it another version?', { status: 200 })

function checkType({ type }: Answer): void {
  if (type === EVENT_STREAM) return
  throw new ServiceError(`the service answers with the media type ${type || '(none)'} instead of a stream of events.`, {
    status: 200,
  })
}

/** Yields the events of an answer in order. Reading pauses while an event is being handled. */
async function* eventsOf({ body }: Answer, limits: FollowLimits, state: State, silent: Silence) {
  let [events, error]: [ServerEvent[], ServiceError | undefined] = [[], undefined]
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onRetry(retryMs) {
      state.retryMs = retryMs
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') error = new ServiceError('an event is too long.', { status: 200 })
    },
    maxBufferSize: limits.maxEventCharacters,
  })
  const decoder = new TextDecoder()
  silent.start()
  for await (const chunk of body) {
    // Time in which events are handled does not count as silence.
    silent.stop()
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events
    events = []
    if (error !== undefined) throw error
    silent.start()
  }
}

type Silence = ReturnType<typeof watchSilence>

/** Returns a timer that aborts its signal `silentMs` after a start, unless stopped before. */
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

/** Logs an event that is a message of the service, such as skipped records or a reader that was too slow. */
export function logMessage({ event, data }: ServerEvent, log: Log): void {
  const body = readErrorBody(data)
  log(body === undefined ? escapeControl(`the service says ${event}: ${data.slice(0, 200)}`) : describeError(body))
}

function isTemporary({ status }: ServiceError, { hasConnected }: State): boolean {
  return status === undefined ? hasConnected : TEMPORARY.has(status)
}

async function pause(error: ServiceError | undefined, limits: FollowLimits, state: State, signal: AbortSignal) {
  const growing = state.retryMs * 2 ** Math.min(state.failures, 16)
  const ms = Math.min(Math.max(growing, error?.retryAfterMs ?? 0), limits.maxRetryMs)
  state.failures++
  await sleep(ms, undefined, { signal }).catch(() => {})
}
