import { LogweirError } from '../../base/errors.js'
import type { Clock } from '../../base/time/clock.js'
import type { Position } from '../../plan/position.js'
import type { ConcurrencyLimit } from '../query/concurrency.js'
import { callAfter } from '../query/waiting.js'
import type { ByteChunks } from '../reply/chunks.js'
import type { ErrorForm } from '../reply/error-form.js'
import { refusals } from '../reply/errors.js'
import { catchUp } from './catch-up.js'
import type { Channel, ChannelReader } from './channel.js'
import type { Cursor } from './cursor.js'
import { BEGINNING, droppedEvent, idLine, KEEP_ALIVE, NO_DATA } from './events.js'
import type { TailLimits } from './limits.js'
import type { SendRate } from './send-rate.js'

/** The channel of a reader, the limits, and the callbacks to the owner. */
export interface ReaderOptions {
  channel: Channel
  /** The position at which the client lost the connection. Undefined for a new client. */
  cursor: Cursor | undefined
  clock: Clock
  limits: TailLimits
  errorForm: ErrorForm
  /** Limits how many readers read stored rows at the same time. */
  concurrency: ConcurrencyLimit
  sendRate: SendRate
  /** Returns whether the token still permits this project. Called before each chunk of rows, and twice a second. */
  isAllowed(): boolean
  /** Maps a failure to the error that the client may see. */
  toPublicError(error: unknown): LogweirError
  /** Called once if the service ends the tail. The client may still read the reason. */
  onEnd(reason: LogweirError): void
  /** Called once, when the client reads no more. */
  onLeave(): void
  /** Closes the connection of a client that does not read the reason in time. */
  breakOff(): void
}

/** A tail: the chunks that the client is sent. */
export interface TailReader extends ByteChunks {
  /** Ends the stream with a `dropped` event. Does nothing if the stream has ended. */
  end(reason: LogweirError): void
}

interface State extends ReaderOptions {
  /** Aborted when the client has left. */
  left: AbortController
  /** Why the stream ends. Undefined while the stream goes on. */
  reason?: LogweirError
  /** The number of the next record in the channel. Undefined while stored rows are sent. */
  next?: number
  isKeepAliveDue: boolean
  /** This reader, as seen by the channel. */
  handle: ChannelReader
  /** Resumes the stream if the stream waits for records. */
  wake(): void
  stopKeepAlive(): void
  stopTokenChecks(): void
  stopBreakOff(): void
}

const slowReader = () =>
  new LogweirError(
    'slow_reader',
    'Records arrive faster than this tail reads them. Reconnect with Last-Event-ID, and read faster.',
  )

/** Opens a tail: stored rows first, then live records. A chunk is made when the client has taken the previous chunk. */
export function createReader(options: ReaderOptions): TailReader {
  const state: State = {
    ...options,
    left: new AbortController(),
    isKeepAliveDue: false,
    handle: {
      get next() {
        return state.next
      },
      wake: () => state.wake(),
      drop: () => end(state, slowReader()),
    },
    wake() {},
    stopKeepAlive: options.clock.every(options.limits.keepAliveMs, () => keepAlive(state)),
    stopTokenChecks: options.clock.every(options.limits.tokenCheckMs, () => checkToken(state)),
    stopBreakOff() {},
  }
  options.channel.readers.add(state.handle)
  const chunks = stream(state)
  return {
    end: (reason) => end(state, reason),
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

/** Ends the stream if the token no longer permits the tail, also if there is no record to send. */
function checkToken(state: State): void {
  if (!state.isAllowed()) end(state, refusals.unauthorized())
}

const hasEnded = ({ reason, left }: State) => reason !== undefined || left.signal.aborted

function end(state: State, reason: LogweirError): void {
  if (hasEnded(state)) return
  state.reason = reason
  state.channel.readers.delete(state.handle)
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
  state.channel.readers.delete(state.handle)
  state.wake()
  state.onLeave()
}

/** The whole stream: beginning, stored rows, live records, and the reason if the service ends the stream. */
async function* stream(state: State): AsyncGenerator<Uint8Array, void> {
  try {
    yield BEGINNING
    yield* live(state, yield* stored(state))
  } catch (error) {
    end(state, state.toPublicError(error))
  }
  if (state.reason !== undefined && !state.left.signal.aborted) yield droppedEvent(state.reason, state.errorForm)
  leave(state)
}

/**
 * Sends the stored rows after the cursor, unless the channel still has the records. Returns where live records begin.
 */
async function* stored(state: State): AsyncGenerator<Uint8Array, Position> {
  const { channel, cursor, clock, limits, errorForm, left } = state
  const subscription = await channel.opened
  if (cursor?.live?.channel === channel.name && isInBacklog(channel, cursor.live.number)) {
    state.next = cursor.live.number
    return cursor
  }
  const { project, tailRows, stream } = channel
  const caughtUp = await state.concurrency.run(
    (signal) =>
      catchUp({
        ...{ subscription, project, tailRows, stream, limits, errorForm, signal },
        after: cursor,
        nowUs: clock.nowUs(),
      }),
    left.signal,
  )
  state.next = caughtUp.delivered
  for (const chunk of joinEvents(caughtUp.events, limits.chunkBytes)) yield* withinRate(state, chunk)
  return caughtUp.position
}

/** Sends the records of the channel from `state.next` on, until the stream ends. */
async function* live(state: State, position: Position): AsyncGenerator<Uint8Array, void> {
  const { channel, limits } = state
  const { name, stream } = channel
  yield Buffer.concat([idLine({ ...position, stream, live: { channel: name, number: state.next! } }), NO_DATA])
  while (!hasEnded(state)) {
    if (state.next! < channel.backlog.end) {
      const read = channel.backlog.read(state.next!, limits.chunkBytes)
      state.next = read.next
      state.isKeepAliveDue = false
      yield* withinRate(state, read.bytes)
    } else if (state.isKeepAliveDue) {
      state.isKeepAliveDue = false
      yield KEEP_ALIVE
    } else {
      await new Promise<void>((resolve) => {
        state.wake = resolve
      })
    }
  }
}

/**
 * Sends a chunk when the rate limit of all tails permits it. Throws `unauthorized` if the token no longer permits the
 * tail.
 */
async function* withinRate({ sendRate, isAllowed }: State, chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
  await sendRate(chunk.length)
  if (!isAllowed()) throw refusals.unauthorized()
  yield chunk
}

const isInBacklog = ({ backlog }: Channel, number: number) => number >= backlog.first && number <= backlog.end

/** Joins events to chunks of at least `chunkBytes`. The last chunk may be smaller. */
function* joinEvents(events: readonly Buffer[], chunkBytes: number): Generator<Buffer> {
  let from = 0
  let bytes = 0
  for (let i = 0; i < events.length; i++) {
    bytes += events[i].length
    if (bytes < chunkBytes && i + 1 < events.length) continue
    yield Buffer.concat(events.slice(from, i + 1))
    from = i + 1
    bytes = 0
  }
}
