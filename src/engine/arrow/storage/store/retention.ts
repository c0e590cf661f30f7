import type { Metrics } from '../../../../base/metrics.js'
import { dayOf } from '../segment/segment.js'
import { createRecentMaximum } from './recent-maximum.js'
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

/** Which columns stay in memory that are on disk too. */
export interface ColumnLimit {
  /** Lets go of columns, those first that nobody has asked for the longest, until what the store holds fits the limit. */
  enforce(limitBytes: number): void
  /** To be called now and then: what heads took before the last call is no longer of late. */
  pass(): void
}

/**
 * Columns leave open heads and what seals them the room that these took at most of late: they are full again soon, and
 * memory that columns had meanwhile stays with the process when they go.
 */
export function createColumnLimit(store: Pick<Store, 'bytes' | 'columnBytes' | 'trim' | 'unload'>): ColumnLimit {
  const headBytes = createRecentMaximum()
  return {
    enforce(limitBytes) {
      const roomBytes = limitBytes - headBytes.with(store.bytes() - store.columnBytes())
      while (store.columnBytes() > roomBytes && store.unload());
      if (store.bytes() > limitBytes) store.trim('all')
    },
    pass: headBytes.pass,
  }
}

function record(dropped: readonly Dropped[], limit: Limit, metrics: Metrics): void {
  for (const { source, rows, wholeDay } of dropped) {
    metrics.evictedRows.inc({ source, limit }, rows)
    if (wholeDay) metrics.evictedPartitions.inc({ source, limit })
  }
}
