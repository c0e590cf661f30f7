import type { Clock } from '../../base/clock.js'
import type { Engine } from '../../engine/engine.js'
import { callAfter } from '../query/waiting.js'
import type { ErrorForm } from '../reply/error-form.js'
import { type Channel, createChannel } from './channel.js'
import type { TailLimits } from './limits.js'

/**
 * The channels of all projects with readers. A channel stays open for a while after its last reader has left: one that
 * reconnects soon finds the records that arrived in between.
 */
export interface Channels {
  /** Returns the channel of a project, opened if there is none. The reader must call {@link release}. */
  acquire(project: string): Channel
  release(channel: Channel): void
  /** Closes all channels. */
  close(): void
}

interface Parts {
  follow: Engine['follow']
  clock: Clock
  limits: TailLimits
  errorForm: ErrorForm
}

interface OpenChannel {
  channel: Channel
  readers: number
  /** Cancels the pending close. */
  keepOpen(): void
}

/** Creates the registry of channels, with none open. Together their backlogs have at most `limits.backlogsBytes`. */
export function createChannels({ follow, clock, limits, errorForm }: Parts): Channels {
  const open = new Map<string, OpenChannel>()

  function add(project: string): OpenChannel {
    const onClosed = () => {
      open.get(project)?.keepOpen()
      open.delete(project)
    }
    makeRoom()
    const one: OpenChannel = {
      channel: createChannel({ project, follow, clock, limits, errorForm, onGrown: balance, onClosed }),
      readers: 0,
      keepOpen() {},
    }
    open.set(project, one)
    return one
  }

  /** Closes an unused channel if there are as many channels as there may be tails. */
  function makeRoom(): void {
    if (open.size < limits.tails) return
    const unused = [...open.values()].find(({ readers }) => readers === 0)
    unused?.channel.close()
  }

  /** Shrinks the largest backlogs until all together are within their limit. */
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
    acquire(project) {
      const one = open.get(project) ?? add(project)
      one.readers++
      one.keepOpen()
      return one.channel
    },
    release(channel) {
      const one = open.get(channel.project)
      if (one?.channel !== channel || --one.readers > 0) return
      one.keepOpen = callAfter(clock, limits.lingerMs, channel.close)
    },
    close() {
      for (const { channel } of [...open.values()]) channel.close()
    },
  }
}
