/** The minimum rate at which a client must send a body. */
import type { Clock } from '../../base/time/clock.js'

/** Limits of the time that a body may take. */
export interface BodyRateLimits {
  /** The minimum rate over any window of `rateWindowMs`. */
  minBytesPerS: number
  rateWindowMs: number
  /** The longest time for a whole body, at any rate. */
  maxBodyMs: number
}

/** The measured rate of a body. */
export interface MinimumBodyRate {
  /** Counts received bytes. */
  add(bytes: number): void
  /**
   * Returns bytes per second over the last window, or since the start if the start is later. Infinite at the start
   * itself.
   */
  bytesPerS(): number
  /** Stops measuring. */
  stop(): void
}

/** How often the rate is checked in a window. */
const CHECKS = 15

/** Starts to measure. Calls `onTooSlow` when the body is below the minimum rate or takes too long, until `stop`. */
export function measureBodyRate(limits: BodyRateLimits, clock: Clock, onTooSlow: () => void): MinimumBodyRate {
  const startedMs = clock.monotonicMs()
  /** The bytes received by each check of the last window, oldest first. */
  const marks = [{ ms: startedMs, bytes: 0 }]
  const minBytes = (limits.minBytesPerS * limits.rateWindowMs) / 1000
  let bytes = 0

  function check(): void {
    const ms = clock.monotonicMs()
    marks.push({ ms, bytes })
    const isWindow = marks.length > CHECKS
    const { bytes: before } = isWindow ? marks.shift()! : marks[0]
    if ((isWindow && bytes - before < minBytes) || ms - startedMs >= limits.maxBodyMs) onTooSlow()
  }

  return {
    add: (more) => void (bytes += more),
    bytesPerS() {
      const elapsedMs = clock.monotonicMs() - marks[0].ms
      return elapsedMs > 0 ? ((bytes - marks[0].bytes) / elapsedMs) * 1000 : Number.POSITIVE_INFINITY
    },
    stop: clock.every(limits.rateWindowMs / CHECKS, check),
  }
}
