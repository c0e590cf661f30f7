import type { Gauge } from 'prom-client'
import type { Clock } from '../../base/clock.js'
import { LogweirError } from '../../base/errors.js'
import { refusals } from '../reply/errors.js'
import type { HttpLimits } from './limits.js'

/** Limits how many queries run at the same time. The others wait in FIFO order. */
export interface ConcurrencyLimit {
  /**
   * Runs `work` in a slot. Throws `overloaded` if too many callers wait already, if no slot becomes free in time, or if
   * the work takes too long; `abandoned` once `caller` is aborted. The signal tells `work` to stop; its slot is free
   * when it has.
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>, caller: AbortSignal): Promise<T>
}

type QueryLimits = Pick<HttpLimits, 'queriesAtOnce' | 'queriesWaiting' | 'waitMs' | 'queryMs'>

const overloaded = (reason: string) => new LogweirError('overloaded', `${reason} Try again shortly.`)

/** Calls `work` once, `delayMs` from now. Returns a function that cancels the call. */
export function callAfter(clock: Clock, delayMs: number, work: () => void): () => void {
  const stop = clock.every(delayMs, () => {
    stop()
    work()
  })
  return stop
}

/** Calls `work` when `signal` is aborted, at once if it is already. Returns a function that removes the listener. */
function onAbort(signal: AbortSignal, work: () => void): () => void {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
  return () => signal.removeEventListener('abort', work)
}

interface State {
  limits: QueryLimits
  clock: Clock
  running: Pick<Gauge, 'inc' | 'dec'>
  free: number
  /** The callers that wait, first in first out; each is called when it gets a slot. */
  queue: Set<() => void>
}

/** Creates a limit of `limits.queriesAtOnce` slots. `running` counts those in use. */
export function createConcurrencyLimit(limits: QueryLimits, clock: Clock, running: State['running']): ConcurrencyLimit {
  const state: State = { limits, clock, running, free: limits.queriesAtOnce, queue: new Set() }
  return {
    async run(work, caller) {
      await acquire(state, caller)
      const controller = new AbortController()
      onAbort(caller, () => controller.abort(refusals.abandoned()))
      const stopClock = callAfter(clock, limits.queryMs, () =>
        controller.abort(overloaded(`The query ran longer than ${limits.queryMs / 1000} s.`)),
      )
      const done = Promise.resolve()
        .then(() => {
          controller.signal.throwIfAborted()
          return work(controller.signal)
        })
        .finally(() => {
          stopClock()
          release(state)
        })
      return unlessAborted(done, controller.signal)
    },
  }
}

async function acquire(state: State, caller: AbortSignal): Promise<void> {
  if (caller.aborted) throw refusals.abandoned()
  if (state.free > 0) state.free -= 1
  else if (state.queue.size < state.limits.queriesWaiting) await waitForSlot(state, caller)
  else throw overloaded('Too many queries wait for their turn.')
  state.running.inc()
}

/** Frees a slot, or hands it to the first caller that waits. */
function release(state: State): void {
  state.running.dec()
  const [admit] = state.queue
  if (admit === undefined) state.free += 1
  else admit()
}

function waitForSlot({ queue, clock, limits: { waitMs } }: State, caller: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (settle: () => void) => {
      queue.delete(admit)
      stopClock()
      removeListener()
      settle()
    }
    const admit = () => leave(resolve)
    const stopClock = callAfter(clock, waitMs, () =>
      leave(() => reject(overloaded(`The query waited ${waitMs / 1000} s for its turn.`))),
    )
    const removeListener = onAbort(caller, () => leave(() => reject(refusals.abandoned())))
    queue.add(admit)
  })
}

/** Settles as `done` does, or rejects with the reason of the signal if that is aborted first. */
function unlessAborted<T>(done: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, () => reject(signal.reason))
    done.then(resolve, reject).finally(removeListener)
  })
}
