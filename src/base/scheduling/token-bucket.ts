import type { Clock } from '../time/clock.js'

/** A rate limit that allows bursts: `capacity` tokens at first, refilled steadily up to `capacity`. */
export interface TokenBucket {
  /**
   * Takes `tokens`, at most the capacity, and returns 0. If fewer tokens are left, takes none and returns the
   * milliseconds after which there are enough.
   */
  take(tokens: number): number
  /**
   * Takes `tokens` if any are left, even more than there are: the refill repays the debt first. Returns whether tokens
   * were taken.
   */
  overdraw(tokens: number): boolean
}

/**
 * The size of a bucket, and the refill per millisecond of the monotonic clock: a wall clock that jumps changes nothing.
 */
export interface TokenBucketOptions {
  capacity: number
  tokensPerMs: number
}

/** Returns a full bucket. If rate and amounts are integers, so are all levels at whole milliseconds. */
export function createTokenBucket(
  { capacity, tokensPerMs }: TokenBucketOptions,
  clock: Pick<Clock, 'monotonicMs'>,
): TokenBucket {
  let level = capacity
  let refilledMs = clock.monotonicMs()

  function refill(): void {
    const nowMs = clock.monotonicMs()
    level = Math.min(capacity, level + (nowMs - refilledMs) * tokensPerMs)
    refilledMs = nowMs
  }

  return {
    take(tokens) {
      refill()
      if (tokens > level) return (tokens - level) / tokensPerMs
      level -= tokens
      return 0
    },
    overdraw(tokens) {
      refill()
      if (level <= 0) return false
      level -= tokens
      return true
    },
  }
}
