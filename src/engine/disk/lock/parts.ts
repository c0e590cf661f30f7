import type { Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type Clock, systemClock } from '../../../base/clock.js'
import type { LogweirError } from '../../../base/errors.js'
import type { Log } from '../../../base/log.js'
import { areSocketsConclusive, listenAt } from './system.js'

/** How often, how long. CONTRACT, section 7. */
export interface LockTiming {
  /** The holder touches its lock this often, and a starter looks this often whether it did. */
  touchMs: number
  /** A starter takes over a lock that has not changed at this many looks. */
  looks: number
  /** After a takeover, when the starter reads back whether the lock is still its own. */
  readBackMs: number
  /** Writes wait for a new look at the lock if the last one is older. Far below `looks * touchMs`. */
  maxAgeMs: number
}

export const LOCK_TIMING: LockTiming = { touchMs: 1_000, looks: 10, readBackMs: 2_000, maxAgeMs: 3_000 }

/** What taking a lock needs of its surroundings. Tests replace them. */
export interface LockParts {
  clock: Clock
  timing: LockTiming
  log: Log
  /** Ends the wait for a lock. */
  signal?: AbortSignal
  /** Is called once if the lock turns out to be gone; the files of the lock refuse writes from then on. */
  onLost(error: LogweirError): void
  /** Resolves after `ms`; rejects if `signal` is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<unknown>
  /** Listens at a path; gives the error if it cannot. */
  listen(server: Server, address: string): Promise<NodeJS.ErrnoException | undefined>
  /** Whether a socket in the directory that refuses connections is proof that its process has ended. */
  areSocketsConclusive(directory: string): Promise<boolean>
}

export const LOCK_PARTS: LockParts = {
  clock: systemClock,
  timing: LOCK_TIMING,
  log: () => {},
  onLost: () => {},
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
  listen: listenAt,
  areSocketsConclusive,
}
