import { arrayBuffersOf, free } from '../../../base/memory/array-buffers.js'
import type { SourceName } from '../../../common/sources.js'
import {
  bytesOfOpenBatch,
  type OpenBatch,
  releaseBatches,
  reuseOpenBatch,
} from '../../execute/open-batch/open-batch.js'

/**
 * Pool of the memory of a single head, to be reused by the next head: fresh memory from the system costs twice as much.
 */
export interface HeadPool {
  /**
   * Puts the memory of a head into the pool, in place of its content. The head must not be read or appended to any
   * more.
   */
  put(head: OpenBatch): void
  /** Returns an empty head in the pooled memory. Undefined if the pool is empty. */
  take(source: SourceName): OpenBatch | undefined
  /** Frees the memory: always, or only if the memory has been in the pool since the last call. */
  trim(what: 'idle' | 'all'): void
  /** Bytes in the pool. With a source, 0 unless a head of that source is pooled. */
  bytes(source?: SourceName): number
}

/** Returns an empty pool. */
export function createHeadPool(): HeadPool {
  let pooled: OpenBatch | undefined
  let isIdle = false
  const clear = () => {
    if (pooled !== undefined) free(arrayBuffersOf(pooled))
    pooled = undefined
  }
  return {
    put(head) {
      clear()
      releaseBatches(head)
      pooled = head
      isIdle = false
    },
    take(source) {
      const head = pooled && reuseOpenBatch(source, pooled)
      pooled = undefined
      return head
    },
    trim(what) {
      if (what === 'all' || isIdle) clear()
      isIdle = true
    },
    bytes: (source) =>
      pooled !== undefined && (source ?? pooled.source) === pooled.source ? bytesOfOpenBatch(pooled) : 0,
  }
}
