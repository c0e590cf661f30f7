import type { Metrics } from '../../../base/metrics.js'
import type { Caches } from '../../execute/caches/caches.js'
import { createColumnLimit } from './eviction.js'
import type { SegmentKeeper } from './keeper.js'
import { dropBeyondDisk, dropBeyondMemory } from './retention.js'
import type { Store } from './store.js'

interface LimitOptions {
  store: Store
  caches: Caches
  /** Returns the bytes on disk. Undefined if rows are in memory only. */
  diskBytes: (() => number) | undefined
  rowsLimitBytes: number
  diskLimitBytes: number
  metrics: Metrics
  keeper: SegmentKeeper
  /** Called when the files may have grown, before they are limited by their age. */
  onGrowth?(): void
}

/** The limits of an engine, as functions that enforce them. */
export type Limits = ReturnType<typeof createLimits>

/** Enforces the memory and disk limits of an engine. */
export function createLimits({
  store,
  caches,
  diskBytes,
  rowsLimitBytes,
  diskLimitBytes,
  metrics,
  keeper,
  onGrowth = () => {},
}: LimitOptions) {
  const columnLimit = createColumnLimit(store)
  const limitBytes = () => rowsLimitBytes - caches.bytes()
  const evictColumns = () => columnLimit.enforce(limitBytes())
  function enforce(): void {
    if (diskBytes === undefined) {
      const ofRows = limitBytes() - keeper.bytes()
      dropBeyondMemory(store, ofRows, metrics)
      if (store.bytes() <= ofRows) keeper.onRoom()
    } else {
      evictColumns()
      onGrowth()
      const allBytes = () => diskBytes() + keeper.bytes()
      dropBeyondDisk(store, allBytes, diskLimitBytes, metrics)
      if (allBytes() <= diskLimitBytes) keeper.onRoom()
    }
  }
  return {
    /** Evicts columns that are on disk from memory. */
    evictColumns,
    enforce,
    /** Enforces the limits at the end of an interval, and frees memory that was not used in the interval. */
    nextInterval() {
      enforce()
      columnLimit.nextInterval()
      store.trim('idle')
    },
  }
}
