import type { ScanStats } from '../../engine/engine.js'

/** How the cache dealt with a request; `collapsed`: it waited for a run that another had begun. */
export type CacheState = 'hit' | 'miss' | 'collapsed' | 'bypass'

/** A run, as the request that began it is told of it. */
export interface Measured {
  /** From its turn until its rows were read, or as many as are held. */
  ms: number
  work?: ScanStats
}

/**
 * The value of Server-Timing (W3C): the cache's state, and of the run that the request began its time and what it looked at,
 * as far as the engine knows.
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
