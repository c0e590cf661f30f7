import type { Clock } from '../../base/time/clock.js'
import type { Engine } from '../../engine/engine.js'
import type { ConcurrencyLimit } from '../query/concurrency.js'
import { callAfter } from '../query/waiting.js'
import type { ErrorForm } from '../reply/error-form.js'
import { type Channel, createChannel } from './channel.js'
import type { TailLimits } from './limits.js'
import { EDGE_ROWS, type TailRows } from './tail-rows.js'

/**
 * The channels of all rows with readers. A channel stays open for a while after the last reader has left: a reader that
 * reconnects soon finds the records that arrived in between.
 */
export interface Channels {
  /**
   * Returns the channel of some rows of a project, by default the edge records. Opens a channel if there is none. The
   * reader must call {@link release}.
   */
  acquire(project: string, tailRows?: TailRows): Channel
  release(channel: Channel): void
  /** Closes the channels that pass a test, or all. */
  close(isClosed?: (channel: Channel) => boolean): void
}

interface ChannelsOptions {
  follow: Engine['follow']
  clock: Clock
  limits: TailLimits
  errorForm: ErrorForm
  /** See {@link createChannel}. */
  concurrency?: ConcurrencyLimit
}

interface OpenChannel {
  channel: Channel
  readers: number
  /** Cancels the pending close. */
  keepOpen(): void
}

/** In full, not as a digest: a channel must never be found for another project. */
const keyOf = (project: string, { key }: TailRows) => JSON.stringify([project, key])

/** Creates the registry of channels, with none open. All backlogs together have at most `limits.backlogsBytes`. */
export function createChannels({ follow, clock, limits, errorForm, concurrency }: ChannelsOptions): Channels {
  const open = new Map<string, OpenChannel>()

  function add(project: string, tailRows: TailRows): OpenChannel {
    const key = keyOf(project, tailRows)
    const onClosed = () => {
      open.get(key)?.keepOpen()
      open.delete(key)
    }
    makeRoom()
    const options = { project, tailRows, follow, clock, limits, errorForm, concurrency, onGrown: balance, onClosed }
    const one: OpenChannel = { channel: createChannel(options), readers: 0, keepOpen() {} }
    open.set(key, one)
    return one
  }

  /** Closes an unused channel if there are as many channels as there may be tails. */
  function makeRoom(): void {
    if (open.size < limits.tails) return
    const unused = [...open.values()].find(({ readers }) => readers === 0)
    unused?.channel.close()
  }

  /** Shrinks the largest backlogs until all backlogs together are within the limit. */
  function balance(): void {
    const channels = [...open.values()].map(({ channel }) => channel)
    let bytes = channels.reduce((sum, { backlog }) => sum + backlog.bytes, 0)
    while (bytes > limits.backlogsBytes) {
      const largest = channels.reduce((a, b) => (b.backlog.bytes > a.backlog.bytes ? b : a))
      bytes -= largest.backlog.bytes
      largest.shrink()
      bytes += largest.backlog.bytes
    }
  }

  return {
    acquire(project, tailRows = EDGE_ROWS) {
      const one = open.get(keyOf(project, tailRows)) ?? add(project, tailRows)
      one.readers++
      one.keepOpen()
      return one.channel
    },
    release(channel) {
      const one = open.get(keyOf(channel.project, channel.tailRows))
      if (one?.channel !== channel || --one.readers > 0) return
      one.keepOpen = callAfter(clock, limits.lingerMs, channel.close)
    },
    close(isClosed = () => true) {
      for (const { channel } of [...open.values()]) if (isClosed(channel)) channel.close()
    },
  }
}
