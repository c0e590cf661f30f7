import { callAfter } from '../query/waiting.js'
import {
  createEventStream,
  type EventStream,
  type EventStreamOptions,
  type StreamControl,
} from '../tail/event-stream.js'
import type { StateEvent } from './events.js'
import type { HeldBytes } from './held-bytes.js'
import type { SubscriptionLimits } from './limits.js'
import type { Published } from './published.js'

/** The query of a subscriber, and its stream. */
export interface SubscriberOptions extends EventStreamOptions {
  published: Published
  held: HeldBytes
  limits: SubscriptionLimits
  /** The state that the client has. 0 if it has none. */
  number: number
}

/** A client that follows a query. */
export interface Subscriber extends EventStream {
  /** The event that is being sent. Undefined if the client has taken all. */
  readonly sending: StateEvent | undefined
  /** Closes the connection at once. */
  cut(): void
}

interface State extends SubscriberOptions {
  sending: StateEvent | undefined
  /** Set when the stream has lasted as long as it may. */
  isOver: boolean
  cut(): void
}

/** Opens a stream of the states of a query: each next event when the client has taken the event before. */
export function createSubscriber(options: SubscriberOptions): Subscriber {
  const { clock, limits, onLeave } = options
  const state: State = { ...options, sending: undefined, isOver: false, cut() {} }
  const stopTimer = callAfter(clock, limits.streamMs, () => {
    state.isOver = true
    stream.wake()
  })
  const stream = createEventStream(
    {
      ...options,
      onLeave() {
        stopTimer()
        stopSending(state)
        onLeave()
      },
    },
    (control) => events(state, control),
  )
  return {
    ...stream,
    get sending() {
      return state.sending
    },
    cut: () => state.cut(),
  }
}

async function* events(state: State, control: StreamControl): AsyncGenerator<Uint8Array, void> {
  state.cut = control.cut
  while (!control.hasEnded() && !state.isOver) {
    const event = state.published.after(state.number)
    if (event === undefined) {
      yield* control.idle()
      continue
    }
    state.number = event.number
    startSending(state, event)
    yield* chunksOf(state, control, event)
    stopSending(state)
  }
}

function startSending(state: State, event: StateEvent): void {
  state.sending = event
  state.held.hold(event)
}

function stopSending(state: State): void {
  const event = state.sending
  state.sending = undefined
  if (event !== undefined) state.held.release(event)
}

/**
 * Sends an event. If the token ends in the middle of the event, the connection is closed: the reason would be read as a
 * part of the event.
 */
async function* chunksOf(
  { limits: { chunkBytes } }: State,
  control: StreamControl,
  { bytes }: StateEvent,
): AsyncGenerator<Uint8Array, void> {
  let from = 0
  try {
    for (; from < bytes.length; from += chunkBytes) yield* control.send(bytes.subarray(from, from + chunkBytes))
  } catch (error) {
    if (from === 0) throw error
    control.cut()
  }
}
