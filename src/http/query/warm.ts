import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import { toPublicError } from '../reply/errors.js'
import type { Entry, ResultCache } from './cache.js'

/** How often it is looked for entries to compute anew. */
const LOOK_MS = 1_000

interface Parts {
  cache: ResultCache
  /** Computes an entry anew and keeps it. */
  refresh(entry: Entry, signal: AbortSignal): Promise<unknown>
  clock: Clock
  metrics: Pick<Metrics, 'cacheRefreshes'>
  log: Log
}

/**
 * Computes the entries in use anew, in the background and one at a time, whenever they are due. An entry whose
 * refresh fails stays as it is and is tried again when it would be due next. Between two of them other work gets its turn:
 * from what an engine has kept a refresh may come without a single wait. Returns what stops it, at once.
 */
export function startWarming({ cache, refresh, clock, metrics, log }: Parts): () => void {
  const stopped = new AbortController()
  let busy = false

  async function refreshOne(entry: Entry): Promise<void> {
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

  async function look(): Promise<void> {
    if (busy) return
    busy = true
    for (const entry of cache.due()) {
      if (stopped.signal.aborted) return
      await refreshOne(entry)
      await setImmediate()
    }
    busy = false
  }

  const stopLooking = clock.every(LOOK_MS, look)
  return () => {
    stopLooking()
    stopped.abort()
  }
}
