import type { Gauge } from 'prom-client'
import type { Clock } from '../../base/time/clock.js'
import { refusals } from '../reply/errors.js'
import type { HttpLimits } from './limits.js'
import { createSlots, overloaded, type Slots } from './slots.js'
import { callAfter, onAbort } from './waiting.js'

/** Limits how many queries run at the same time. The others wait in FIFO order. */
export interface ConcurrencyLimit {
  /**
   * Runs `work` in a slot. Throws `overloaded` if too many callers wait already, if no slot becomes free in time, or if
   * the work takes too long. Throws `abandoned` once `caller` is aborted. The signal tells `work` to stop. The slot is
   * free when `work` has stopped.
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>, caller: AbortSignal): Promise<T>
}

/** The limits of stored queries, and of queries in SQL that clients write. */
export interface ConcurrencyLimits {
  stored: ConcurrencyLimit
  clientSql: ConcurrencyLimit
}

type QueryLimits = Pick<HttpLimits, 'queriesAtOnce' | 'queriesWaiting' | 'waitMs' | 'queryMs'>

type Running = Pick<Gauge, 'inc' | 'dec'>

/** Creates a limit of `limits.queriesAtOnce` slots. `running` counts the slots in use. */
export function createConcurrencyLimit(limits: QueryLimits, clock: Clock, running: Running): ConcurrencyLimit {
  return limitOf([slotsOf(limits, clock)], limits, clock, running)
}

/**
 * Creates the limits of queries that share `limits.queriesAtOnce` slots, of which SQL of clients uses at most half. SQL
 * waits for a slot of that half in a separate queue, and only then for one of all slots. So a stored query waits for at
 * most that half of the slots, however much SQL waits.
 */
export function createConcurrencyLimits(
  limits: QueryLimits & Pick<HttpLimits, 'sqlQueriesWaiting'>,
  clock: Clock,
  running: Running,
): ConcurrencyLimits {
  const all = slotsOf(limits, clock)
  const half = Math.max(1, Math.floor(limits.queriesAtOnce / 2))
  const ofSql = createSlots({ slots: half, waiting: limits.sqlQueriesWaiting, waitMs: limits.waitMs }, clock)
  return {
    stored: limitOf([all], limits, clock, running),
    clientSql: limitOf([ofSql, all], limits, clock, running),
  }
}

const slotsOf = ({ queriesAtOnce, queriesWaiting, waitMs }: QueryLimits, clock: Clock) =>
  createSlots({ slots: queriesAtOnce, waiting: queriesWaiting, waitMs }, clock)

/** A query takes a slot of each of `slots`, in this order. */
function limitOf(
  slots: readonly Slots[],
  { queryMs }: Pick<QueryLimits, 'queryMs'>,
  clock: Clock,
  running: Running,
): ConcurrencyLimit {
  return {
    async run(work, caller) {
      const release = await takeAll(slots, caller)
      running.inc()
      const controller = new AbortController()
      onAbort(caller, () => controller.abort(refusals.abandoned()))
      const stopClock = callAfter(clock, queryMs, () =>
        controller.abort(overloaded(`The query ran longer than ${queryMs / 1000} s.`)),
      )
      const done = Promise.resolve()
        .then(() => {
          controller.signal.throwIfAborted()
          return work(controller.signal)
        })
        .finally(() => {
          stopClock()
          running.dec()
          release()
        })
      return unlessAborted(done, controller.signal)
    },
  }
}

/** Takes a slot of each of `slots`, or none. The returned function frees the taken slots. */
async function takeAll(slots: readonly Slots[], caller: AbortSignal): Promise<() => void> {
  const taken: (() => void)[] = []
  const releaseAll = () => {
    for (const release of taken) release()
  }
  try {
    for (const one of slots) taken.push(await one.take(caller))
    return releaseAll
  } catch (error) {
    releaseAll()
    throw error
  }
}

/** Settles as `done` does, or rejects with the reason of the signal if the signal is aborted first. */
function unlessAborted<T>(done: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, () => reject(signal.reason))
    done.then(resolve, reject).finally(removeListener)
  })
}
