import { LogweirError } from '../../base/errors.js'
import type { Clock } from '../../base/time/clock.js'
import { refusals } from '../reply/errors.js'
import { callAfter, onAbort } from './waiting.js'

/** Slots for queries. Callers that find no free slot wait in FIFO order. */
export interface Slots {
  /**
   * Takes a slot. The returned function frees the slot. Throws `overloaded` if too many callers wait already, or if no
   * slot becomes free in time. Throws `abandoned` once `caller` is aborted.
   */
  take(caller: AbortSignal): Promise<() => void>
}

/** The number of slots, how many callers may wait for a slot, and how long. */
export interface SlotLimits {
  slots: number
  waiting: number
  waitMs: number
}

interface State {
  limits: SlotLimits
  clock: Clock
  free: number
  /** The waiting callers, first in first out. A function is called when the caller gets a slot. */
  queue: Set<() => void>
}

/** Returns the error `overloaded`. */
export const overloaded = (reason: string): LogweirError =>
  new LogweirError('overloaded', `${reason} Try again shortly.`)

/** Creates slots that are all free. */
export function createSlots(limits: SlotLimits, clock: Clock): Slots {
  const state: State = { limits, clock, free: limits.slots, queue: new Set() }
  return {
    async take(caller) {
      if (caller.aborted) throw refusals.abandoned()
      if (state.free > 0) state.free -= 1
      else if (state.queue.size < limits.waiting) await waitForSlot(state, caller)
      else throw overloaded('Too many queries wait for their turn.')
      return () => release(state)
    },
  }
}

/** Frees a slot, or hands the slot to the first waiting caller. */
function release(state: State): void {
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
