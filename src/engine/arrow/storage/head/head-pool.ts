import { arrayBuffersOf, free } from '../../../../base/array-buffers.js'
import type { SourceName } from '../../../../sources.js'
import { type Head, headBytes, reuseHead } from './head.js'

/** The last head that is no more: its memory is used again, since memory that the system must first find is twice as dear. */
export interface HeadPool {
  /** Keeps the memory of a head that nobody reads and appends to, instead of what was kept. */
  put(head: Head): void
  /** An empty head in that memory, where there is some. */
  take(source: SourceName): Head | undefined
  /** Frees it: in any case, or where it has not been used since the last call. */
  trim(what: 'idle' | 'all'): void
  /** Bytes kept; of one source, those that its head left. */
  bytes(source?: SourceName): number
}

export function createHeadPool(): HeadPool {
  let kept: Head | undefined
  let isIdle = false
  const drop = () => {
    if (kept !== undefined) free(arrayBuffersOf(kept))
    kept = undefined
  }
  return {
    put(head) {
      drop()
      kept = head
      isIdle = false
    },
    take(source) {
      const head = kept && reuseHead(source, kept)
      kept = undefined
      return head
    },
    trim(what) {
      if (what === 'all' || isIdle) drop()
      isIdle = true
    },
    bytes: (source) => (kept !== undefined && (source ?? kept.source) === kept.source ? headBytes(kept) : 0),
  }
}
