import { availableParallelism } from 'node:os'
import { KIB, MIB } from '../../base/units.js'

/** Limits of queries and the cache. Tests use small values. */
export interface HttpLimits {
  /** Queries that run at the same time. */
  queriesAtOnce: number
  /** Queries that may wait for a slot, and how long a query may wait. */
  queriesWaiting: number
  waitMs: number
  /** Queries in SQL of clients that may wait for a slot of SQL's half, each for `waitMs`. */
  sqlQueriesWaiting: number
  /** The longest run of a query, from the slot to the answer. */
  queryMs: number
  /** An uncached answer is buffered up to this size. A longer answer is streamed. */
  bufferedBytes: number
  /**
   * A cached answer without rows that is older is computed again if records of the answer's sources have arrived since.
   */
  emptyMs: number
  /** Limits of the cache: answers, bytes of all answers with keys, and bytes of a single answer. */
  cacheEntries: number
  cacheBytes: number
  cacheEntryBytes: number
}

/** The limits of the service. */
export const HTTP_LIMITS: HttpLimits = {
  queriesAtOnce: 2 * availableParallelism(),
  queriesWaiting: 256,
  waitMs: 10_000,
  sqlQueriesWaiting: 64,
  queryMs: 30_000,
  bufferedBytes: 256 * KIB,
  emptyMs: 2_000,
  cacheEntries: 10_000,
  cacheBytes: 64 * MIB,
  cacheEntryBytes: 2 * MIB,
}

/** The share of the memory limit for the cache. */
const CACHE_SHARE = 1 / 16
/** The share of the cache for a single answer. */
const ENTRY_SHARE = 1 / 8

/** The share of the memory limit for an answer that is buffered: many clients may be slow. */
const BUFFERED_SHARE = 1 / 2048

/** Returns the limits of a process with a memory limit. */
export function httpLimits(memoryLimitBytes: number): HttpLimits {
  const cacheBytes = Math.min(HTTP_LIMITS.cacheBytes, memoryLimitBytes * CACHE_SHARE)
  const cacheEntryBytes = Math.min(HTTP_LIMITS.cacheEntryBytes, cacheBytes * ENTRY_SHARE)
  return {
    ...HTTP_LIMITS,
    bufferedBytes: Math.min(HTTP_LIMITS.bufferedBytes, memoryLimitBytes * BUFFERED_SHARE),
    cacheBytes: Math.floor(cacheBytes),
    cacheEntryBytes: Math.floor(cacheEntryBytes),
  }
}
