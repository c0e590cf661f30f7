import type { Clock } from '../../src/base/time/clock.js'
import { DAY_US, HOUR_US, MILLISECOND_US, SECOND_US } from '../../src/base/units.js'

/** Jumps of a wall clock. */
export const CLOCK_JUMPS_US = [HOUR_US, -HOUR_US, DAY_US, -DAY_US, -10 * SECOND_US]

/** A clock that stands still until a test moves the clock. */
export interface FakeClock extends Clock {
  /**
   * Moves wall and monotonic time forward together, and runs each timer that is due by then at the moment of the timer.
   */
  advance(byMs: number): void
  /** Sets the wall clock, as an administrator or NTP would: monotonic time stays, nothing runs. */
  setNowUs(nowUs: number): void
  /** The number of running `every` timers. */
  readonly timers: number
}

interface Timer {
  intervalMs: number
  dueMs: number
  work: () => void
}

/** Creates a fake clock with the wall time `startUs`. The monotonic time starts at 0. */
export function createFakeClock(startUs = Date.UTC(2026, 10, 20, 10) * MILLISECOND_US): FakeClock {
  const timers = new Set<Timer>()
  let monotonicMs = 0
  let wallAheadUs = startUs

  /** Runs the timer that is due first. Returns whether a timer was due. */
  function runNext(untilMs: number): boolean {
    let next: Timer | undefined
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer
    }
    if (next === undefined) return false
    monotonicMs = next.dueMs
    next.dueMs += next.intervalMs
    next.work()
    return true
  }

  return {
    nowUs: () => wallAheadUs + Math.round(monotonicMs * MILLISECOND_US),
    monotonicMs: () => monotonicMs,
    every(intervalMs, work) {
      const timer = { intervalMs, dueMs: monotonicMs + intervalMs, work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(byMs) {
      const untilMs = monotonicMs + byMs
      while (runNext(untilMs)) {}
      monotonicMs = untilMs
    },
    setNowUs(nowUs) {
      wallAheadUs = nowUs - Math.round(monotonicMs * MILLISECOND_US)
    },
    get timers() {
      return timers.size
    },
  }
}
