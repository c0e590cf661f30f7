import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.js'
import { createTokenBucket, type TokenBucket } from '../../base/token-bucket.js'
import type { Engine, Subscription } from '../../engine/engine.js'
import type { Row } from '../../plan/answer.js'
import type { ErrorForm } from '../reply/error-form.js'
import { type Backlog, createBacklog } from './backlog.js'
import { COLUMNS, endOf } from './catch-up.js'
import { advance, type Position } from './cursor.js'
import { gapEvent, idLine, recordEvent } from './events.js'
import type { TailLimits } from './limits.js'

/**
 * The live records of one project, encoded once for all readers. A reader only keeps the number of its next record: it
 * is dropped if that record is evicted from the backlog.
 */
export interface Channel {
  /** Identifies this channel: record numbers of other channels are not valid in it. */
  readonly name: string
  readonly project: string
  readonly backlog: Backlog
  readonly readers: Set<ChannelReader>
  /** Resolves when the channel can be read. If the engine cannot be queried it closes, then rejects. */
  readonly opened: Promise<Pick<Subscription, 'run'>>
  /** Evicts the oldest record, and drops readers that have not read it. */
  shrink(): void
  close(): void
}

/** A reader, as its channel sees it. */
export interface ChannelReader {
  /** The number of its next record; undefined while it catches up with stored rows. */
  readonly next: number | undefined
  /** Called if there may be something to read. */
  wake(): void
  /** Called if it reads too slowly. */
  drop(): void
}

/** The project of a channel, and its surroundings. */
export interface ChannelParts {
  project: string
  follow: Engine['follow']
  clock: Clock
  limits: TailLimits
  errorForm: ErrorForm
  /** Called after records were added. */
  onGrown(): void
  /** Called once, when the channel closes. */
  onClosed(): void
}

interface State extends ChannelParts {
  name: string
  readers: Set<ChannelReader>
  backlog: Backlog
  rate: TokenBucket
  /** After all records so far; undefined until the channel is open. */
  position: Position | undefined
  isClosed: boolean
  subscription?: Promise<Subscription>
}

const NAME_BYTES = 6

/** Opens a channel: subscribes to the project and finds the position after its stored rows. */
export function createChannel(parts: ChannelParts): Channel {
  const { project, follow, clock, limits } = parts
  const state: State = {
    ...parts,
    name: randomBytes(NAME_BYTES).toString('hex'),
    readers: new Set(),
    backlog: createBacklog(),
    rate: createTokenBucket(
      { capacity: limits.receivedBurstBytes, tokensPerMs: limits.receivedBytesPerS / 1000 },
      clock,
    ),
    position: undefined,
    isClosed: false,
  }
  const subscription = follow({ source: 'edge_logs', project, columns: COLUMNS }, (rows, hasGap) =>
    receive(state, rows, hasGap),
  )
  state.subscription = subscription
  const opened = open(state, subscription)
  opened.catch(() => close(state))
  const { name, readers, backlog } = state
  return { name, project, backlog, readers, opened, shrink: () => shrink(state), close: () => close(state) }
}

function receive(state: State, rows: Iterable<Row>, hasGap: boolean): void {
  if (state.isClosed) return
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
const cursorAfter = ({ name }: State, position: Position, number: number) => ({
  ...position,
  live: { channel: name, number: number + 1 },
})

/** Finds the end of the stored rows, and adds cursors to the records that arrived before it was known. */
async function open(state: State, subscribing: Promise<Subscription>): Promise<Subscription> {
  const { clock, project, limits, backlog } = state
  const subscription = await subscribing
  const end = await endOf({ subscription, project, nowUs: clock.nowUs(), limits })
  let position = end.position
  for (const [number, entry] of backlog.entries()) {
    // Records that arrived before the end was read are included in it; those that arrived since may be newer.
    if (number >= end.delivered) position = advance(position, entry.timestampUs, clock.nowUs())
    entry.event = Buffer.concat([idLine(cursorAfter(state, position, number)), entry.event])
  }
  state.position = position
  return subscription
}

function shrink({ backlog, readers }: State): void {
  backlog.shift()
  for (const reader of readers) if (reader.next !== undefined && reader.next < backlog.first) reader.drop()
}

function close(state: State): void {
  if (state.isClosed) return
  state.isClosed = true
  state.subscription?.then(({ stop }) => stop()).catch(() => {})
  state.onClosed()
}

/** Closes a channel with more records than anyone can read live, so that ingest does not pay for them. */
function giveUp(state: State): void {
  for (const reader of state.readers) reader.drop()
  close(state)
}
