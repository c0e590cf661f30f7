import type { Clock } from '../../base/clock.js'
import type { Engine } from '../../engine/engine.js'
import { after } from '../query/concurrency.js'
import { type Channel, createChannel } from './channel.js'
import type { TailLimits } from './limits.js'

/** The channels of all projects that are read, or were a moment ago: who comes back soon finds what has come meanwhile. */
export interface Channels {
  /** The channel of a project, opened where there is none, to read from until {@link leave}. */
  enter(project: string): Channel
  leave(channel: Channel): void
  close(): void
}

interface Parts {
  follow: Engine['follow']
  clock: Clock
  limits: TailLimits
}

interface Open {
  channel: Channel
  readers: number
  /** Forgets that it is to be closed. */
  stay(): void
}

export function createChannels({ follow, clock, limits }: Parts): Channels {
  const open = new Map<string, Open>()

  function add(project: string): Open {
    const closed = () => {
      open.get(project)?.stay()
      open.delete(project)
    }
    makeRoom()
    const one: Open = {
      channel: createChannel({ project, follow, clock, limits, grown: balance, closed }),
      readers: 0,
      stay() {},
    }
    open.set(project, one)
    return one
  }

  /** There are never more channels than there may be readers. */
  function makeRoom(): void {
    if (open.size < limits.tails) return
    const left = [...open.values()].find(({ readers }) => readers === 0)
    left?.channel.close()
  }

  /** All together are as small as they must be at the cost of the largest. */
  function balance(): void {
    const backlogs = [...open.values()].map(({ channel }) => channel)
    let bytes = backlogs.reduce((sum, { backlog }) => sum + backlog.bytes, 0)
    while (bytes > limits.backlogsBytes) {
      const largest = backlogs.reduce((a, b) => (b.backlog.bytes > a.backlog.bytes ? b : a))
      bytes -= largest.backlog.bytes
      largest.shrink()
      bytes += largest.backlog.bytes
    }
  }

  return {
    enter(project) {
      const one = open.get(project) ?? add(project)
      one.readers++
      one.stay()
      return one.channel
    },
    leave(channel) {
      const one = open.get(channel.project)
      if (one?.channel !== channel || --one.readers > 0) return
      one.stay = after(clock, limits.lingerMs, channel.close)
    },
    close() {
      for (const { channel } of [...open.values()]) channel.close()
    },
  }
}
