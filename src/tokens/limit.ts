import { createTokenBucket } from '../base/scheduling/token-bucket.js'
import type { Clock } from '../base/time/clock.js'
import type { Rate } from '../config/value-types.js'

/**
 * The rate limit of an access token: a token bucket that allows bursts of a second's requests, at least of a single
 * request.
 */
export interface Limit {
  /**
   * Counts a request and returns 0. If the limit is reached, returns the whole seconds until the next request, at least
   * 1.
   */
  take(): number
}

const SECOND_MS = 1_000

/**
 * Returns a limit that is not used up yet. A request takes `unitMs` tokens, so that levels stay integers at any rate.
 */
export function createLimit({ count, unitMs }: Rate, clock: Pick<Clock, 'monotonicMs'>): Limit {
  const capacity = Math.max(unitMs, count * SECOND_MS)
  const bucket = createTokenBucket({ capacity, tokensPerMs: count }, clock)
  return { take: () => Math.ceil(bucket.take(unitMs) / SECOND_MS) }
}
