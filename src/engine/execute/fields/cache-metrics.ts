import type { Metrics } from '../../../base/metrics.js'

/** The caches of the engine: fields read from metadata, partial results of sealed parts, rows of answers. */
export type CacheKind = 'fields' | 'partials' | 'rows'

/** The metrics of a cache of the engine. */
export interface CacheMetrics {
  setBytes(bytes: number): void
  countLookup(isHit: boolean): void
}

/** Returns the metrics of the cache of a kind. */
export function cacheMetrics(
  { engineCachedBytes, engineCacheLookups }: Pick<Metrics, 'engineCachedBytes' | 'engineCacheLookups'>,
  kind: CacheKind,
): CacheMetrics {
  const bytesOfKind = engineCachedBytes.labels({ kind })
  const [hits, misses] = ['hit', 'miss'].map((outcome) => engineCacheLookups.labels({ kind, outcome }))
  return {
    setBytes: (bytes) => bytesOfKind.set(bytes),
    countLookup: (isHit) => (isHit ? hits : misses).inc(),
  }
}
