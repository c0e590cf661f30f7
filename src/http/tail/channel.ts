import { randomBytes } from 'node:crypto'
import { createTokenBucket, type TokenBucket } from '../../base/scheduling/token-bucket.js'
import type { Clock } from '../../base/time/clock.js'
import type { Engine, Subscription } from '../../engine/engine.js'
import type { Row } from '../../plan/answer.js'
import type { Position } from '../../plan/position.js'
import type { ConcurrencyLimit } from '../query/concurrency.js'
import type { ErrorForm } from '../reply/error-form.js'
import { type Backlog, createBacklog } from './backlog.js'
import { COLUMNS, endOf } from './catch-up.js'
import { advance } from './cursor.js'
import { gapEvent, idLine, recordEvent } from './events.js'
import type { TailLimits } from './limits.js'
import { streamName, type TailRows } from './tail-rows.js'

/**
 * The live records of a project and a source that pass a filter, encoded once for all readers. A reader only keeps the
 * number of the next record. If that record is evicted from the backlog, the reader is dropped.
 */
export interface Channel {
  /** Identifies this channel: record numbers of other channels are not valid here. */
  readonly name: string
  readonly project: string
  readonly tailRows: TailRows
  /** The name of the channel's rows in ids of events. */
  readonly stream: string
  readonly backlog: Backlog
  readonly readers: Set<ChannelReader>
  /**
   * Resolves when the channel can be read. If the engine cannot be queried, the channel closes, then `opened` rejects.
   */
  readonly opened: Promise<Pick<Subscription, 'run'>>
  /** Evicts the oldest record, and drops readers that have not read the record. */
  shrink(): void
  close(): void
}

/** A reader, as seen by the channel. */
export interface ChannelReader {
  /** The number of the next record. Undefined while the reader catches up with stored rows. */
  readonly next: number | undefined
  /** Called if there may be something to read. */
  wake(): void
  /** Called if the reader is too slow. */
  drop(): void
}

/** The rows of a channel, and the channel's dependencies. */
export interface ChannelOptions {
  project: string
  tailRows: TailRows
  follow: Engine['follow']
  clock: Clock
  limits: TailLimits
  errorForm: ErrorForm
  /** Limits how many channels look for the end of filtered rows at the same time. Undefined: no limit. */
  concurrency?: ConcurrencyLimit | undefined
  /** Called after records were added. */
  onGrown(): void
  /** Called once, when the channel closes. */
  onClosed(): void
}

interface State extends ChannelOptions {
  name: string
  stream: string
  readers: Set<ChannelReader>
  backlog: Backlog
  rate: TokenBucket
  /** After all records so far. Undefined until the channel is open. */
  position: Position | undefined
  /** Aborted when the channel closes. */
  closed: AbortController
  subscription?: Promise<Subscription>
}

const NAME_BYTES = 6

/** Opens a channel: subscribes to the rows and finds the position after the stored rows. */
export function createChannel(options: ChannelOptions): Channel {
  const { project, tailRows, follow, clock, limits } = options
  const state: State = {
    ...options,
    name: randomBytes(NAME_BYTES).toString('hex'),
    stream: streamName(project, tailRows),
    readers: new Set(),
    backlog: createBacklog(),
    rate: createTokenBucket(
      { capacity: limits.receivedBurstBytes, tokensPerMs: limits.receivedBytesPerS / 1000 },
      clock,
    ),
    position: undefined,
    closed: new AbortController(),
  }
  const { source, where } = tailRows
  const subscription = follow({ source, project, columns: COLUMNS, where }, (rows, hasGap) =>
    receive(state, rows, hasGap),
  )
  state.subscription = subscription
  const opened = open(state, subscription)
  opened.catch(() => close(state))
  const { name, stream, readers, backlog } = state
  return {
    name,
    project,
    tailRows,
    stream,
    backlog,
    readers,
    opened,
    shrink: () => shrink(state),
    close: () => close(state),
  }
}

function receive(state: State, rows: Iterable<Row>, hasGap: boolean): void {
  if (state.closed.signal.aborted) return
  const { backlog, clock, limits, rate, errorForm } = state
  let isAfterGap = hasGap
  for (const row of rows) {
    const timestampUs = row.timestamp as number
    state.position &&= advance(state.position, timestampUs, clock.nowUs())
    const event = recordEvent(row, state.position && cursorAfter(state, state.position, backlog.end))
    if (rate.take(event.length) > 0) {
      giveUp(state)
      return
    }
    backlog.push({ timestampUs, event: isAfterGap ? Buffer.concat([gapEvent(timestampUs, errorForm), event]) : event })
    isAfterGap = false
    while (backlog.bytes > limits.backlogBytes) shrink(state)
  }
  state.onGrown()
  for (const reader of state.readers) reader.wake()
}

/** The cursor of a reader that has read the record of this number, which ends at `position`. */
const cursorAfter = ({ name, stream }: State, position: Position, number: number) => ({
  ...position,
  stream,
  live: { channel: name, number: number + 1 },
})

/** Finds the end of the stored rows, and adds cursors to the records that arrived before the end was known. */
async function open(state: State, subscribing: Promise<Subscription>): Promise<Subscription> {
  const { clock, backlog } = state
  const subscription = await subscribing
  const end = await findEnd(state, subscription)
  let position = end.position
  for (const [number, entry] of backlog.entries()) {
    // `end` includes the records that arrived before the end was read. Records that arrived since may be newer.
    if (number >= end.delivered) position = advance(position, entry.timestampUs, clock.nowUs())
    entry.event = Buffer.concat([idLine(cursorAfter(state, position, number)), entry.event])
  }
  state.position = position
  return subscription
}

/** Finds the position after the stored rows. With a filter, a whole day may have to be read. */
function findEnd({ clock, project, tailRows, limits, concurrency, closed }: State, subscription: Subscription) {
  const find = (signal?: AbortSignal) =>
    endOf({ subscription, project, tailRows, nowUs: clock.nowUs(), limits, signal })
  return tailRows.where === undefined || concurrency === undefined ? find() : concurrency.run(find, closed.signal)
}

function shrink({ backlog, readers }: State): void {
  backlog.shift()
  for (const reader of readers) if (reader.next !== undefined && reader.next < backlog.first) reader.drop()
}

function close(state: State): void {
  if (state.closed.signal.aborted) return
  state.closed.abort()
  state.subscription?.then(({ stop }) => stop()).catch(() => {})
  state.onClosed()
}

/** Closes a channel with more records than anyone can read live, so that ingest does not pay for the channel. */
function giveUp(state: State): void {
  for (const reader of state.readers) reader.drop()
  close(state)
}
