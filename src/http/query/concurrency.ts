import type { Gauge } from 'prom-client'
import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import { refusals } from '../reply/errors.js'
import type { HttpLimits } from './limits.js'

export interface ConcurrencyLimit {
  /**
   * Runs `work` when its turn has come. Throws `overloaded` where too many wait already, where the turn has not come in
   * time, or where the work takes too long; `abandoned` once `caller` is aborted. `work` is told by its signal to stop;
   * its place is free again when it has.
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>, caller: AbortSignal): Promise<T>
}

type QueryLimits = Pick<HttpLimits, 'queriesAtOnce' | 'queriesWaiting' | 'waitMs' | 'queryMs'>

const overloaded = (what: string) => new LogweirError('overloaded', `${what} Try again shortly.`)

/** Calls `work` once, `delayMs` from now, unless it is stopped before. */
export function after(clock: Clock, delayMs: number, work: () => void): () => void {
  const stop = clock.every(delayMs, () => {
    stop()
    work()
  })
  return stop
}

/** Calls `work` when `signal` is aborted, at once where it is; returns what forgets it. */
function onAbort(signal: AbortSignal, work: () => void): () => void {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
  return () => signal.removeEventListener('abort', work)
}

/** At most so many queries at once; the others wait in the order in which they came. */
export function createConcurrencyLimit(
  limits: QueryLimits,
  clock: Clock,
  running: Pick<Gauge, 'inc' | 'dec'>,
): ConcurrencyLimit {
  const queue = new Set<() => void>()
  let free = limits.queriesAtOnce

  function turn(caller: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (settle: () => void) => {
        queue.delete(admit)
        stopClock()
        forget()
        settle()
      }
      const admit = () => leave(resolve)
      const stopClock = after(clock, limits.waitMs, () =>
        leave(() => reject(overloaded(`The query waited ${limits.waitMs / 1000} s for its turn.`))),
      )
      const forget = onAbort(caller, () => leave(() => reject(refusals.abandoned())))
      queue.add(admit)
    })
  }

  async function enter(caller: AbortSignal): Promise<void> {
    if (caller.aborted) throw refusals.abandoned()
    if (free > 0) free -= 1
    else if (queue.size < limits.queriesWaiting) await turn(caller)
    else throw overloaded('Too many queries wait for their turn.')
    running.inc()
  }

  function leave(): void {
    running.dec()
    const [admit] = queue
    if (admit === undefined) free += 1
    else admit()
  }

  return {
    async run(work, caller) {
      await enter(caller)
      const own = new AbortController()
      onAbort(caller, () => own.abort(refusals.abandoned()))
      const stopClock = after(clock, limits.queryMs, () =>
        own.abort(overloaded(`The query ran longer than ${limits.queryMs / 1000} s.`)),
      )
      const done = Promise.resolve()
        .then(() => {
          own.signal.throwIfAborted()
          return work(own.signal)
        })
        .finally(() => {
          stopClock()
          leave()
        })
      return unlessAborted(done, own.signal)
    },
  }
}

/** The outcome of `done`, or the reason of the signal where that comes first. */
function unlessAborted<T>(done: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason))
    done.then(resolve, reject).finally(forget)
  })
}
