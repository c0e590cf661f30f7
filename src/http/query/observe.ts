import { LogweirError } from '../../base/errors.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'

/** The source of an answer: the cache, a cached run, or an uncached run. */
export type Origin = 'hit' | 'miss' | 'bypass'

/** Counts a query and the duration since `startedMs` of the monotonic clock. `error` is set if the query failed. */
export type Observe = (endpoint: string, origin: Origin, startedMs: number, error?: unknown) => void

/** Returns the observer that updates the metrics of queries and cache. */
export function createObserver(
  metrics: Pick<Metrics, 'queries' | 'querySeconds' | 'cacheHits' | 'cacheMisses'>,
  clock: Clock,
): Observe {
  return (endpoint, origin, startedMs, error) => {
    metrics.queries.inc({ endpoint, outcome: outcomeOf(error) })
    metrics.querySeconds.observe({ endpoint, cache: origin }, (clock.monotonicMs() - startedMs) / 1000)
    if (origin === 'hit') metrics.cacheHits.inc({ endpoint })
    else if (origin === 'miss') metrics.cacheMisses.inc({ endpoint })
  }
}

function outcomeOf(error: unknown): string {
  if (error === undefined) return 'ok'
  return error instanceof LogweirError ? error.code : 'internal'
}
