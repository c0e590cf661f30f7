import type { Metrics } from '../../../base/metrics.js'
import { dayOf } from './segment.js'
import type { Dropped, Store } from './store.js'

/** What made rows go. */
type Limit = 'retention' | 'memory' | 'disk'

/**
 * Drops the oldest day while it lies wholly before the retention: at most one day a call, so that a clock that
 * jumped ahead takes one day and not all of them before somebody sees it.
 */
export function enforceRetention(store: Store, nowUs: number, retentionUs: number, metrics: Metrics): void {
  const oldest = store.oldestDay()
  if (oldest !== undefined && oldest < dayOf(nowUs - retentionUs))
    record(store.drop(oldest, 'day'), 'retention', metrics)
}

/** Drops the oldest segments until the memory held fits the limit. */
export function dropBeyondMemory(store: Store, limitBytes: number, metrics: Metrics): void {
  if (store.bytes() <= limitBytes) return
  store.trim('all')
  dropBeyond(store, () => store.bytes(), limitBytes, 'memory', metrics)
}

/** Drops the oldest segments until the `bytes` of files fit the limit. */
export function dropBeyondDisk(store: Store, bytes: () => number, limitBytes: number, metrics: Metrics): void {
  dropBeyond(store, bytes, limitBytes, 'disk', metrics)
}

/** Of the oldest day the oldest segment of each source, and no more than must go: a day may outgrow the limit alone. */
function dropBeyond(store: Store, bytes: () => number, limitBytes: number, limit: Limit, metrics: Metrics): void {
  while (bytes() > limitBytes) {
    const oldest = store.oldestDay()
    if (oldest === undefined) return
    record(store.drop(oldest, 'oldest segments'), limit, metrics)
  }
}

/** Lets go of columns that are on disk too, those first that nobody has asked for the longest, until the bytes fit the limit. */
export function unloadBeyond(store: Store, limitBytes: number): void {
  if (store.bytes() <= limitBytes) return
  store.trim('all')
  while (store.bytes() > limitBytes && store.unload());
}

function record(dropped: readonly Dropped[], limit: Limit, metrics: Metrics): void {
  for (const { source, rows, wholeDay } of dropped) {
    metrics.evictedRows.inc({ source, limit }, rows)
    if (wholeDay) metrics.evictedPartitions.inc({ source, limit })
  }
}
