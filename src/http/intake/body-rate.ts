/** How fast a body arrives, and whether that is fast enough. */
import type { Clock } from '../../base/clock.js'

export interface BodyRateLimits {
  /** The least rate of a body, over any time of this length. */
  minBytesPerS: number
  rateWindowMs: number
  /** The longest time that a body may take, at any rate. */
  maxBodyMs: number
}

export interface MinimumBodyRate {
  /** Counts bytes that have arrived. */
  add(bytes: number): void
  /** Bytes per second over the last window, or since the start if that is later; infinite at the start itself. */
  bytesPerS(): number
  /** Stops measuring. */
  stop(): void
}

/** The rate is looked at this often in a window. */
const STEPS = 15

/** Starts to measure. Calls `onTooSlow` once the body is too slow or takes too long, until `stop`. */
export function measureBodyRate(limits: BodyRateLimits, clock: Clock, onTooSlow: () => void): MinimumBodyRate {
  const startedMs = clock.monotonicMs()
  /** The bytes that had arrived at each step of the last window, oldest first. */
  const marks = [{ ms: startedMs, bytes: 0 }]
  const minBytes = (limits.minBytesPerS * limits.rateWindowMs) / 1000
  let bytes = 0

  function step(): void {
    const ms = clock.monotonicMs()
    marks.push({ ms, bytes })
    const isWindow = marks.length > STEPS
    const { bytes: before } = isWindow ? marks.shift()! : marks[0]!
    if ((isWindow && bytes - before < minBytes) || ms - startedMs >= limits.maxBodyMs) onTooSlow()
  }

  return {
    add: (more) => void (bytes += more),
    bytesPerS() {
      const elapsedMs = clock.monotonicMs() - marks[0]!.ms
      return elapsedMs > 0 ? ((bytes - marks[0]!.bytes) / elapsedMs) * 1000 : Number.POSITIVE_INFINITY
    },
    stop: clock.every(limits.rateWindowMs / STEPS, step),
  }
}
