import type { Metrics } from '../../../base/metrics.js'
import { dayOf } from '../segment/segment.js'
import type { Dropped } from './drop.js'
import type { Limit } from './keeper.js'
import type { Store } from './store.js'

/**
 * Drops the oldest sealed day that may go, if the whole day is older than the retention: at most one day per call, so
 * that a clock that jumps ahead deletes one day and not all days before an operator notices. Then seals the open heads
 * that have rows of expired days, which later calls drop. Resolves when this work is done. Ingest rejects rows older
 * than the retention, so a head has expired rows again on the next day at the earliest. The drop does not wait for the
 * heads: on a full disk the heads can be sealed only after the drop. Heads are also sealed with rows of a day before
 * `newestHiddenUs`, some of which are past the limit of their project.
 */
export function enforceRetention(
  store: Store,
  nowUs: number,
  retentionUs: number,
  metrics: Metrics,
  newestHiddenUs = Number.NEGATIVE_INFINITY,
): Promise<void> {
  const firstDay = dayOf(nowUs - retentionUs)
  for (const day of store.daysBefore(firstDay)) {
    const dropped = store.drop(day, 'day', 'retention')
    record(dropped, 'retention', metrics)
    if (dropped.length > 0) break
  }
  return store.sealOldHeads(Math.max(firstDay, dayOf(newestHiddenUs)))
}

/**
 * Drops the oldest segments until the memory of the store fits the limit. Memory that is only reserved is freed
 * first.
 */
export function dropBeyondMemory(store: Store, limitBytes: number, metrics: Metrics): void {
  if (store.bytes() <= limitBytes) return
  store.trim('all')
  dropBeyond(store, () => store.bytes(), limitBytes, 'memory', metrics)
}

/** Drops the oldest segments until the `bytes` of files fit the limit. */
export function dropBeyondDisk(store: Store, bytes: () => number, limitBytes: number, metrics: Metrics): void {
  dropBeyond(store, bytes, limitBytes, 'disk', metrics)
}

/**
 * Drops the oldest segment of each source in the oldest day, repeatedly, until the first that may not be dropped yet. A
 * single day may be larger than the limit.
 */
function dropBeyond(store: Store, bytes: () => number, limitBytes: number, limit: Limit, metrics: Metrics): void {
  while (bytes() > limitBytes) {
    const oldest = store.oldestDay()
    if (oldest === undefined) return
    const dropped = store.drop(oldest, 'oldest segments', limit)
    if (dropped.length === 0) return
    record(dropped, limit, metrics)
  }
}

function record(dropped: readonly Dropped[], limit: Limit, metrics: Metrics): void {
  for (const { source, rows, wholeDay } of dropped) {
    metrics.evictedRows.inc({ source, limit }, rows)
    if (wholeDay) metrics.evictedPartitions.inc({ source, limit })
  }
}
