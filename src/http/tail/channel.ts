import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.js'
import { createTokenBucket } from '../../base/token-bucket.js'
import type { Engine, Row, Subscription } from '../../engine/engine.js'
import { type Backlog, createBacklog } from './backlog.js'
import { COLUMNS, endOf } from './catch-up.js'
import { advance, type Place } from './cursor.js'
import { gapEvent, idLine, recordEvent } from './events.js'
import type { TailLimits } from './limits.js'

/**
 * What comes live of one project, made ready once for all who read it. Readers hold nothing but the number of
 * the record that they read next: who is so slow that this one is let go of is dropped.
 */
export interface Channel {
  /** Of this channel alone: numbers of another mean nothing here. */
  readonly name: string
  readonly project: string
  readonly backlog: Backlog
  readonly readers: Set<ChannelReader>
  /** Resolves when it can be read; rejects, once closed, where the engine cannot be asked. */
  readonly opened: Promise<Pick<Subscription, 'run'>>
  /** Lets go of the oldest record, and of readers that have not read it. */
  shrink(): void
  close(): void
}

export interface ChannelReader {
  /** The number of the record that it reads next; undefined where that is not known yet. */
  readonly next: number | undefined
  /** There is something to read. */
  wake(): void
  /** It reads too slowly. */
  drop(): void
}

export interface ChannelParts {
  project: string
  follow: Engine['follow']
  clock: Clock
  limits: TailLimits
  /** Records have come. */
  grown(): void
  closed(): void
}

const NAME_BYTES = 6

export function createChannel({ project, follow, clock, limits, grown, closed }: ChannelParts): Channel {
  const name = randomBytes(NAME_BYTES).toString('hex')
  const readers = new Set<ChannelReader>()
  const backlog = createBacklog()
  const rate = createTokenBucket(
    { capacity: limits.receivedBurstBytes, tokensPerMs: limits.receivedBytesPerS / 1000 },
    clock,
  )
  const following = follow({ source: 'edge_logs', project, columns: COLUMNS }, arrived)
  /** Behind all records so far; while it opens that is not known. */
  let place: Place | undefined
  let isClosed = false

  function arrived(rows: Iterable<Row>, hasGap: boolean): void {
    if (isClosed) return
    let gap = hasGap
    for (const row of rows) {
      const timestampUs = row.timestamp as number
      place &&= advance(place, timestampUs, clock.nowUs())
      const event = recordEvent(row, place && cursorOf(place, backlog.end))
      if (rate.take(event.length) > 0) {
        giveUp()
        return
      }
      backlog.push({ timestampUs, event: gap ? Buffer.concat([gapEvent(timestampUs), event]) : event })
      gap = false
      while (backlog.bytes > limits.backlogBytes) shrink()
    }
    grown()
    for (const reader of readers) reader.wake()
  }

  /** Where somebody is who has read the record of this number, which ends at `place`. */
  const cursorOf = (place: Place, number: number) => ({ ...place, live: { channel: name, number: number + 1 } })

  async function open() {
    const follower = await following
    const nowUs = clock.nowUs()
    const { place: end, delivered } = await endOf({ following: follower, project, nowUs, limits })
    place = end
    for (const [number, entry] of backlog.entries()) {
      // What had come before the end was looked for does not move it; what has come since may be of a later moment.
      if (number >= delivered) place = advance(place, entry.timestampUs, clock.nowUs())
      entry.event = Buffer.concat([idLine(cursorOf(place, number)), entry.event])
    }
    return follower
  }

  function shrink(): void {
    backlog.shift()
    for (const reader of readers) if (reader.next !== undefined && reader.next < backlog.first) reader.drop()
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    following.then(({ stop }) => stop()).catch(() => {})
    closed()
  }

  /** More comes than anybody should read live; it must not cost those who bring it. */
  function giveUp(): void {
    for (const reader of readers) reader.drop()
    close()
  }

  const opened = open()
  opened.catch(close)
  return { name, project, backlog, readers, opened, shrink, close }
}
