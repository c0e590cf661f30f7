import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import { after, type ConcurrencyLimit } from '../query/concurrency.js'
import type { ByteChunks } from '../reply/chunks.js'
import { refusals } from '../reply/errors.js'
import { catchUp } from './catch-up.js'
import type { Channel, ChannelReader } from './channel.js'
import type { Cursor, Place } from './cursor.js'
import { BEGINNING, droppedEvent, idLine, KEEP_ALIVE, NO_DATA } from './events.js'
import type { TailLimits } from './limits.js'
import type { SendRate } from './send-rate.js'

export interface ReaderParts {
  channel: Channel
  /** Where it was when it was cut off. */
  cursor: Cursor | undefined
  clock: Clock
  limits: TailLimits
  /** Where the reading of old rows waits for its turn. */
  concurrency: ConcurrencyLimit
  /** And sending for its own. */
  sendRate: SendRate
  /** Whether its token opens this project still. */
  isAllowed(): boolean
  /** A failure as a reader may see it. */
  toPublicError(error: unknown): LogweirError
  /** It is ended; it may yet be told why. */
  ended(reason: LogweirError): void
  /** Is called once, when nothing more will be read. */
  left(): void
  /** Ends the connection of one that does not take what it is told. */
  breakOff(): void
}

/** One tail: the bytes that it is sent, and how it is ended. */
export interface TailReader extends ByteChunks {
  end(reason: LogweirError): void
}

const slowReader = () =>
  new LogweirError(
    'slow_reader',
    'Records come faster than this tail reads them. Come back with Last-Event-ID, and read faster.',
  )

/** Sends old records, then what comes live, a piece whenever the one before has been taken. */
export function createReader({ channel, cursor, clock, limits, ...parts }: ReaderParts): TailReader {
  const left = new AbortController()
  let reason: LogweirError | undefined
  let next: number | undefined
  let isAliveDue = false
  let wake = () => {}
  let stopEnding = () => {}

  const reader: ChannelReader = {
    get next() {
      return next
    },
    wake: () => wake(),
    drop: () => end(slowReader()),
  }
  const stopAlive = clock.every(limits.keepAliveMs, () => {
    if (!parts.isAllowed()) end(refusals.unauthorized())
    isAliveDue = true
    wake()
  })
  channel.readers.add(reader)

  function end(why: LogweirError): void {
    if (reason !== undefined || left.signal.aborted) return
    reason = why
    channel.readers.delete(reader)
    stopEnding = after(clock, limits.endMs, parts.breakOff)
    parts.ended(why)
    wake()
  }

  function leave(): void {
    if (left.signal.aborted) return
    left.abort()
    stopAlive()
    stopEnding()
    channel.readers.delete(reader)
    wake()
    parts.left()
  }

  async function* paced(piece: Uint8Array): AsyncGenerator<Uint8Array, void> {
    await parts.sendRate(piece.length)
    yield piece
  }

  /** The old records in pieces; then it stands where the live ones begin. */
  async function* old(): AsyncGenerator<Uint8Array, Place> {
    const following = await channel.opened
    if (cursor?.live?.channel === channel.name && isHeld(channel, cursor.live.number)) {
      next = cursor.live.number
      return cursor
    }
    const { project } = channel
    const caughtUp = await parts.concurrency.run(
      (signal) => catchUp({ following, project, after: cursor, nowUs: clock.nowUs(), limits, signal }),
      left.signal,
    )
    next = caughtUp.delivered
    for (const piece of joined(caughtUp.events, limits.chunkBytes)) yield* paced(piece)
    return caughtUp.place
  }

  async function* live(place: Place): AsyncGenerator<Uint8Array, void> {
    yield Buffer.concat([idLine({ ...place, live: { channel: channel.name, number: next! } }), NO_DATA])
    while (reason === undefined && !left.signal.aborted) {
      if (next! < channel.backlog.end) {
        const read = channel.backlog.read(next!, limits.chunkBytes)
        next = read.next
        isAliveDue = false
        yield* paced(read.bytes)
      } else if (isAliveDue) {
        isAliveDue = false
        yield KEEP_ALIVE
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }

  async function* all(): AsyncGenerator<Uint8Array, void> {
    try {
      yield BEGINNING
      yield* live(yield* old())
    } catch (error) {
      end(parts.toPublicError(error))
    }
    if (reason !== undefined && !left.signal.aborted) yield droppedEvent(reason)
    leave()
  }

  const pieces = all()
  return {
    end,
    next: () => pieces.next(),
    async return() {
      leave()
      return pieces.return()
    },
  }
}

const isHeld = ({ backlog }: Channel, number: number) => number >= backlog.first && number <= backlog.end

/** The events, as many together as fill a piece. */
function* joined(events: readonly Buffer[], pieceBytes: number): Generator<Buffer> {
  let from = 0
  let bytes = 0
  for (let i = 0; i < events.length; i++) {
    bytes += events[i]!.length
    if (bytes < pieceBytes && i + 1 < events.length) continue
    yield Buffer.concat(events.slice(from, i + 1))
    from = i + 1
    bytes = 0
  }
}
