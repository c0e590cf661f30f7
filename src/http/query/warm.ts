import { setImmediate } from 'node:timers/promises'
import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { toPublicError } from '../reply/errors.js'
import type { CacheEntry, ResultCache } from './cache.js'

/** How often the cache is searched for entries that are due. */
const CHECK_MS = 1_000

interface WarmingOptions {
  cache: ResultCache
  /** Computes the answer of an entry again and caches it. */
  refresh(entry: CacheEntry, signal: AbortSignal): Promise<unknown>
  clock: Clock
  metrics: Pick<Metrics, 'cacheRefreshes'>
  log: Log
}

/**
 * Refreshes the cache entries in use, in the background and in sequence, when the entries are due. If a refresh fails,
 * the entry stays and the refresh is tried again at the entry's next turn. Yields to the event loop between two
 * refreshes: an engine may answer from its own caches without a single wait. Returns a function that stops warming at
 * once.
 */
export function startWarming({ cache, refresh, clock, metrics, log }: WarmingOptions): () => void {
  const stopped = new AbortController()
  let isRefreshing = false

  async function refreshOne(entry: CacheEntry): Promise<void> {
    const endpoint = entry.job.endpoint.name
    entry.triedMs = clock.monotonicMs()
    try {
      await refresh(entry, stopped.signal)
      metrics.cacheRefreshes.inc({ endpoint, outcome: 'ok' })
    } catch (error) {
      if (stopped.signal.aborted) return
      metrics.cacheRefreshes.inc({ endpoint, outcome: toPublicError(error, log).code })
    }
  }

  async function refreshDue(): Promise<void> {
    if (isRefreshing) return
    isRefreshing = true
    for (const entry of cache.due()) {
      if (stopped.signal.aborted) return
      await refreshOne(entry)
      await setImmediate()
    }
    isRefreshing = false
  }

  const stopChecking = clock.every(CHECK_MS, refreshDue)
  return () => {
    stopChecking()
    stopped.abort()
  }
}
