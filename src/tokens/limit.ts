import type { Clock } from '../base/clock.js'
import type { Rate } from '../config/value-types.js'

/** How often something may be done: a bucket of permits that fills steadily, and holds those of one second. */
export interface Limit {
  /** Takes a permit and gives 0; where there is none, in how many whole seconds there will be one, at least 1. */
  take(): number
}

const SECOND_MS = 1_000

/** A bucket that is full at first, and holds one permit at least. What it holds is counted so that steps are whole numbers. */
export function createLimit({ count, unitMs }: Rate, clock: Pick<Clock, 'monotonicMs'>): Limit {
  const most = Math.max(unitMs, count * SECOND_MS)
  let held = most
  let seenMs = clock.monotonicMs()

  return {
    take() {
      const nowMs = clock.monotonicMs()
      held = Math.min(most, held + (nowMs - seenMs) * count)
      seenMs = nowMs
      if (held < unitMs) return Math.ceil((unitMs - held) / count / SECOND_MS)
      held -= unitMs
      return 0
    },
  }
}
