import type { Metrics } from '../../../base/metrics.js'
import type { Clock } from '../../../base/time/clock.js'
import { MIB } from '../../../base/units.js'
import type { Part } from '../columns/batch.js'
import { cacheMetrics } from '../fields/cache-metrics.js'
import { createFieldCache, type FieldCache } from '../fields/field-cache.js'
import { createPartialCache, type PartialCache } from './partial-cache.js'
import { createRowCache, type RowCache } from './row-cache.js'

/** Size limit of the cache of partial results: this many bytes, and this share of the memory limit. */
const PARTIAL_CACHE_BYTES = 128 * MIB
const PARTIAL_CACHE_SHARE = 1 / 16
/** Fields that were read from metadata take at most this share of the memory limit. */
const FIELD_CACHE_SHARE = 1 / 16
/** Size limit of the cache of the rows of answers: this many bytes, and this share of the memory limit. */
const ROW_CACHE_BYTES = 16 * MIB
const ROW_CACHE_SHARE = 1 / 64

/** The caches of an engine, which take a part of the memory for rows. */
export interface Caches {
  partialCache: PartialCache
  fieldCache: FieldCache
  rowCache: RowCache
  /** Removes the entries of parts that no later run reads: deleted segments, and heads that were sealed. */
  drop(parts: readonly Pick<Part, 'owner'>[]): void
  bytes(): number
}

interface CacheOptions {
  clock: Clock
  metrics: Metrics
  rowsLimitBytes: number
  partialCacheBytes?: number
}

/** Creates the caches of an engine with a memory limit of `rowsLimitBytes` for rows. */
export function createCaches({ clock, metrics, rowsLimitBytes, ...options }: CacheOptions): Caches {
  const { partialCacheBytes = Math.min(PARTIAL_CACHE_BYTES, rowsLimitBytes * PARTIAL_CACHE_SHARE) } = options
  const partialCache = createPartialCache(partialCacheBytes, cacheMetrics(metrics, 'partials'))
  const fieldCache = createFieldCache(rowsLimitBytes * FIELD_CACHE_SHARE, cacheMetrics(metrics, 'fields'), clock)
  const rowCache = createRowCache(
    Math.min(ROW_CACHE_BYTES, rowsLimitBytes * ROW_CACHE_SHARE),
    cacheMetrics(metrics, 'rows'),
  )
  return {
    partialCache,
    fieldCache,
    rowCache,
    drop(parts) {
      const owners = parts.map(({ owner }) => owner)
      partialCache.drop(owners)
      fieldCache.drop(owners)
    },
    bytes: () => partialCache.bytes() + fieldCache.bytes() + rowCache.bytes(),
  }
}
