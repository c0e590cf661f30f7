import { availableParallelism } from 'node:os'
import { KIB, MIB } from '../../base/units.js'

/** What the query side of the service may take. Each has a small value in tests. */
export interface HttpLimits {
  /** Queries that run at once. */
  queriesAtOnce: number
  /** Queries that may wait for their turn, and how long each. */
  queriesWaiting: number
  waitMs: number
  /** The longest a query may run, from its turn to its answer. */
  queryMs: number
  /** An answer that is not kept is held whole up to here; a longer one is streamed. */
  bufferedBytes: number
  /** An answer without rows that is older than this is computed again if records of its sources have arrived since. */
  emptyMs: number
  /** What the cache keeps: answers, their bytes together with their keys, and the bytes of one of them. */
  cacheEntries: number
  cacheBytes: number
  cacheEntryBytes: number
}

export const HTTP_LIMITS: HttpLimits = {
  queriesAtOnce: 2 * availableParallelism(),
  queriesWaiting: 256,
  waitMs: 10_000,
  queryMs: 30_000,
  bufferedBytes: 256 * KIB,
  emptyMs: 2_000,
  cacheEntries: 10_000,
  cacheBytes: 64 * MIB,
  cacheEntryBytes: MIB,
}
