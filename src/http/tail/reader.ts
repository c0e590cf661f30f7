import { LogweirError } from '../../base/errors.js'
import type { Position } from '../../plan/position.js'
import type { ConcurrencyLimit } from '../query/concurrency.js'
import { catchUp } from './catch-up.js'
import type { Channel, ChannelReader } from './channel.js'
import type { Cursor } from './cursor.js'
import { createEventStream, type EventStream, type EventStreamOptions, type StreamControl } from './event-stream.js'
import { idLine, NO_DATA } from './events.js'
import type { TailLimits } from './limits.js'

/** The channel of a reader, and the stream of the reader. */
export interface ReaderOptions extends EventStreamOptions {
  channel: Channel
  /** The position at which the client lost the connection. Undefined for a new client. */
  cursor: Cursor | undefined
  limits: TailLimits
  /** Limits how many readers read stored rows at the same time. */
  concurrency: ConcurrencyLimit
}

interface State extends ReaderOptions {
  /** The number of the next record in the channel. Undefined while stored rows are sent. */
  next?: number
}

const slowReader = () =>
  new LogweirError(
    'slow_reader',
    'Records arrive faster than this tail reads them. Reconnect with Last-Event-ID, and read faster.',
  )

/** Opens a tail: stored rows first, then live records. */
export function createReader(options: ReaderOptions): EventStream {
  const { channel } = options
  const state: State = { ...options }
  const detach = () => void channel.readers.delete(handle)
  const stream = createEventStream(
    {
      ...options,
      onEnd(reason) {
        detach()
        options.onEnd(reason)
      },
      onLeave() {
        detach()
        options.onLeave()
      },
    },
    (control) => events(state, control),
  )
  const handle: ChannelReader = {
    get next() {
      return state.next
    },
    wake: stream.wake,
    drop: () => stream.end(slowReader()),
  }
  channel.readers.add(handle)
  return stream
}

async function* events(state: State, control: StreamControl): AsyncGenerator<Uint8Array, void> {
  yield* live(state, control, yield* stored(state, control))
}

/**
 * Sends the stored rows after the cursor, unless the channel still has the records. Returns where live records begin.
 */
async function* stored(state: State, { left, send }: StreamControl): AsyncGenerator<Uint8Array, Position> {
  const { channel, cursor, clock, limits, errorForm } = state
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
    left,
  )
  state.next = caughtUp.delivered
  for (const chunk of joinEvents(caughtUp.events, limits.chunkBytes)) yield* send(chunk)
  return caughtUp.position
}

/** Sends the records of the channel from `state.next` on, until the stream ends. */
async function* live(
  state: State,
  { hasEnded, send, idle }: StreamControl,
  position: Position,
): AsyncGenerator<Uint8Array, void> {
  const { channel, limits } = state
  const { name, stream } = channel
  yield Buffer.concat([idLine({ ...position, stream, live: { channel: name, number: state.next! } }), NO_DATA])
  while (!hasEnded()) {
    if (state.next! < channel.backlog.end) {
      const read = channel.backlog.read(state.next!, limits.chunkBytes)
      state.next = read.next
      yield* send(read.bytes)
    } else yield* idle()
  }
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
