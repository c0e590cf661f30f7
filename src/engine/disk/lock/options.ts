import type { Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { LogweirError } from '../../../base/errors.js'
import type { Log } from '../../../base/log.js'
import { type Clock, systemClock } from '../../../base/time/clock.js'
import { areSocketsConclusive, listenAt } from './system.js'

/** Intervals of locking. CONTRACT, section 7. */
export interface LockTiming {
  /** Interval at which the holder touches the lock, and at which a starting process checks the lock. */
  touchMs: number
  /** A starting process takes over a lock that has not changed in this many checks. */
  looks: number
  /** Wait after a takeover before the starting process reads the lock back. */
  readBackMs: number
  /** Writes wait for a new check of the lock if the last check is older. Far below `looks * touchMs`. */
  maxAgeMs: number
}

/** The intervals of the service. */
export const LOCK_TIMING: LockTiming = { touchMs: 1_000, looks: 10, readBackMs: 2_000, maxAgeMs: 3_000 }

/** The dependencies of locking. Tests replace the dependencies. */
export interface LockOptions {
  clock: Clock
  timing: LockTiming
  log: Log
  /** Aborts the wait for a lock. */
  signal?: AbortSignal
  /** Called once if the lock is lost. The files of the lock refuse writes from then on. */
  onLost(error: LogweirError): void
  /** Resolves after `ms`. Rejects if `signal` is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<unknown>
  /** Listens at a path. Returns the error if that fails. */
  listen(server: Server, address: string): Promise<NodeJS.ErrnoException | undefined>
  /** Whether a socket in the directory that refuses connections is proof that its process has ended. */
  areSocketsConclusive(directory: string): Promise<boolean>
}

/** The dependencies of the service. */
export const LOCK_DEFAULTS: LockOptions = {
  clock: systemClock,
  timing: LOCK_TIMING,
  log: () => {},
  onLost: () => {},
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
  listen: listenAt,
  areSocketsConclusive,
}
