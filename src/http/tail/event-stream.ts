import { LogweirError } from '../../base/errors.js'
import type { Clock } from '../../base/time/clock.js'
import { callAfter } from '../query/waiting.js'
import type { ByteChunks } from '../reply/chunks.js'
import { COMMON_HEADERS } from '../reply/cors.js'
import type { ErrorForm } from '../reply/error-form.js'
import { refusals } from '../reply/errors.js'
import { BEGINNING, droppedEvent, KEEP_ALIVE } from './events.js'
import type { TailLimits } from './limits.js'
import type { SendRate } from './send-rate.js'

/** The headers of every stream of events. */
export const EVENT_HEADERS = {
  ...COMMON_HEADERS,
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would buffer the events.
  'X-Accel-Buffering': 'no',
} as const

/** Returns the error that ends a stream when the service stops. */
export const stopping = (): LogweirError =>
  new LogweirError('stopping', 'The service is shutting down. Reconnect shortly, with Last-Event-ID.')

/** The limits of a stream, and the callbacks to its owner. */
export interface EventStreamOptions {
  clock: Clock
  limits: Pick<TailLimits, 'keepAliveMs' | 'tokenCheckMs' | 'endMs'>
  errorForm: ErrorForm
  sendRate: SendRate
  /** Returns whether the token still permits the stream. Called before each chunk of rows, and twice a second. */
  isAllowed(): boolean
  /** Maps a failure to the error that the client may see. */
  toPublicError(error: unknown): LogweirError
  /** Called once if the service ends the stream. The client may still read the reason. */
  onEnd(reason: LogweirError): void
  /** Called once, when the client reads no more. */
  onLeave(): void
  /** Closes the connection of a client that does not read the reason in time. */
  breakOff(): void
}

/** A stream of events to a client: the chunks that the client is sent. */
export interface EventStream extends ByteChunks {
  /** Ends the stream with a `dropped` event. Does nothing if the stream has ended. */
  end(reason: LogweirError): void
  /** Resumes the stream if the stream waits. */
  wake(): void
}

/** The part of a stream that the maker of its events uses. */
export interface StreamControl {
  /** Aborted when the client has left. */
  readonly left: AbortSignal
  hasEnded(): boolean
  /**
   * Sends a chunk when the rate limit of all streams permits it. Throws `unauthorized` if the token no longer permits
   * the stream.
   */
  send(chunk: Uint8Array): AsyncGenerator<Uint8Array, void>
  /** Ends the stream without a `dropped` event, and closes the connection: a client must not read on. */
  cut(): void
  /** Waits until there may be something to send. Sends a keep-alive if one is due. */
  idle(): AsyncGenerator<Uint8Array, void>
}

interface State extends EventStreamOptions {
  left: AbortController
  /** Why the stream ends. Undefined while the stream goes on. */
  reason?: LogweirError
  isKeepAliveDue: boolean
  wake(): void
  stopKeepAlive(): void
  stopTokenChecks(): void
  stopBreakOff(): void
}

/**
 * Opens a stream of the chunks that `make` yields. A chunk is made when the client has taken the previous chunk. An
 * error of `make` ends the stream as `end` does.
 */
export function createEventStream(
  options: EventStreamOptions,
  make: (control: StreamControl) => AsyncGenerator<Uint8Array, void>,
): EventStream {
  const { clock, limits } = options
  const state: State = {
    ...options,
    left: new AbortController(),
    isKeepAliveDue: false,
    wake() {},
    stopKeepAlive: clock.every(limits.keepAliveMs, () => keepAlive(state)),
    stopTokenChecks: clock.every(limits.tokenCheckMs, () => checkToken(state)),
    stopBreakOff() {},
  }
  const chunks = stream(state, make)
  return {
    end: (reason) => end(state, reason),
    wake: () => state.wake(),
    next: () => chunks.next(),
    async return() {
      leave(state)
      return chunks.return()
    },
  }
}

/** Has a keep-alive sent, unless a record is sent first. */
function keepAlive(state: State): void {
  state.isKeepAliveDue = true
  state.wake()
}

/** Ends the stream if the token no longer permits the stream, also if there is nothing to send. */
function checkToken(state: State): void {
  if (!state.isAllowed()) end(state, refusals.unauthorized())
}

const hasEnded = ({ reason, left }: State) => reason !== undefined || left.signal.aborted

function end(state: State, reason: LogweirError): void {
  if (hasEnded(state)) return
  state.reason = reason
  state.stopBreakOff = callAfter(state.clock, state.limits.endMs, state.breakOff)
  state.onEnd(reason)
  state.wake()
}

function leave(state: State): void {
  if (state.left.signal.aborted) return
  state.left.abort()
  state.stopKeepAlive()
  state.stopTokenChecks()
  state.stopBreakOff()
  state.wake()
  state.onLeave()
}

/** The whole stream: beginning, events, and the reason if the service ends the stream. */
async function* stream(
  state: State,
  make: (control: StreamControl) => AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield BEGINNING
    yield* make({
      left: state.left.signal,
      hasEnded: () => hasEnded(state),
      send: (chunk) => send(state, chunk),
      cut() {
        leave(state)
        state.breakOff()
      },
      idle: () => idle(state),
    })
  } catch (error) {
    end(state, state.toPublicError(error))
  }
  if (state.reason !== undefined && !state.left.signal.aborted) yield droppedEvent(state.reason, state.errorForm)
  leave(state)
}

async function* send(state: State, chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
  state.isKeepAliveDue = false
  await state.sendRate(chunk.length)
  if (!state.isAllowed()) throw refusals.unauthorized()
  yield chunk
}

async function* idle(state: State): AsyncGenerator<Uint8Array, void> {
  if (hasEnded(state)) return
  if (state.isKeepAliveDue) {
    state.isKeepAliveDue = false
    yield KEEP_ALIVE
    return
  }
  await new Promise<void>((resolve) => {
    state.wake = resolve
  })
}
