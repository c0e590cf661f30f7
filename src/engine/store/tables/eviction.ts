import { createRecentMaximum } from './recent-maximum.js'
import type { Store } from './store.js'

/** Evicts columns from memory that are also on disk. */
export interface ColumnLimit {
  /** Evicts the least recently used columns until the memory of the store fits the limit. */
  enforce(limitBytes: number): void
  /** Called at intervals: the room for heads is their maximum over the current and the previous interval. */
  nextInterval(): void
}

/**
 * Returns a limit that reserves for heads and the sealer the maximum that heads and the sealer used recently: this
 * memory is soon needed again, and memory that columns had used in between would stay with the process after eviction.
 */
export function createColumnLimit(store: Pick<Store, 'bytes' | 'columnBytes' | 'trim' | 'unload'>): ColumnLimit {
  const headBytes = createRecentMaximum()
  return {
    enforce(limitBytes) {
      const roomBytes = limitBytes - headBytes.record(store.bytes() - store.columnBytes())
      while (store.columnBytes() > roomBytes && store.unload());
      if (store.bytes() > limitBytes) store.trim('all')
    },
    nextInterval: headBytes.nextInterval,
  }
}
