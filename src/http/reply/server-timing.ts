import type { ScanStats } from '../../engine/engine.js'

/** The cache's part in a response. `collapsed`: the request waited for the run of another request. */
export type CacheState = 'hit' | 'miss' | 'collapsed' | 'bypass'

/** The measured work of a run. */
export interface Measured {
  /** From taking the slot until all rows were encoded, or the first `bufferedBytes` of the rows. */
  ms: number
  work?: ScanStats
}

/**
 * Returns the value of Server-Timing (W3C): the state of the cache, and for the request that started the run, the
 * duration and the scan statistics that the engine reports.
 */
export function serverTiming(cache: CacheState, run?: Measured): string {
  const state = `cache;desc=${cache}`
  if (run === undefined) return state
  const { rows, segments } = run.work ?? {}
  const parts = [state, `engine;dur=${run.ms.toFixed(2)}`]
  if (rows !== undefined) parts.push(`rows;desc="${rows}"`)
  if (segments !== undefined) parts.push(`pruned;desc="${segments.pruned} of ${segments.total}"`)
  return parts.join(', ')
}
