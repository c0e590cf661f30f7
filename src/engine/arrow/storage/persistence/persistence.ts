import type { SourceName } from '../../../../sources.js'
import type { IngestBatch } from '../../../engine.js'
import { memoryHandle, type SegmentHandle } from '../segment/handle.js'
import type { Segment } from '../segment/segment.js'

/** Persists rows beyond the process, and decides which of their columns are in memory. */
export interface Persistence {
  /** Returns the persistence of the next head of a source, for its rows until they are sealed. */
  openHead(source: SourceName): HeadPersistence
  /** Deletes segments; no query reads them any more when `drained` has resolved. */
  drop(segments: readonly SegmentHandle[], drained: Promise<void>): void
  /** Bytes of memory of the columns of all segments. */
  columnBytes(): number
  /**
   * Evicts the columns of the least recently opened segment, if they can be loaded again. Queries that have opened it
   * keep them until they close it. Returns false if there is none to evict.
   */
  unload(): boolean
}

/** Persists the rows of one head. */
export interface HeadPersistence {
  /**
   * Resolves when the batch is persisted, not before which it may become visible. Rejects if retries were abandoned.
   */
  append(batch: IngestBatch): Promise<void>
  /** Writes rows of the head as segments and returns their handles. A long head takes several calls. */
  write(segments: readonly Segment[]): Promise<readonly SegmentHandle[]>
  /** Called when all rows of the head are written: from one moment to the next its segments replace its journal. */
  commit(): Promise<void>
  /** Whether it may lose its rows in a power cut, unless they are sealed soon. */
  isFailing(): boolean
}

/**
 * Calls `show` with each batch of an earlier process's head. Returns the state of the head's persistence: `open` if it
 * accepts more rows, `full` if it accepts no more rows, so that the head is to be sealed, and `none` if it is not used,
 * since there are no rows or the directory is only read.
 */
export type Replay = (show: (batch: IngestBatch) => void) => Promise<'open' | 'full' | 'none'>

/** The store into which the rows of an earlier process are recovered. */
export interface RecoveryTarget {
  /** Adds a sealed segment. */
  adopt(segment: SegmentHandle): void
  /**
   * Makes a head the open head of its source. The open head before it is sealed; a head that is longer than the
   * limits is sealed in parts while it is replayed.
   */
  reopen(source: SourceName, persistence: HeadPersistence, replay: Replay): Promise<void>
  /**
   * Resolves when the heads that wait for the sealer are within their limit of memory, also if one cannot be sealed.
   */
  room(): Promise<void>
}

/** Persists nothing: rows are in memory only. */
export function createMemoryPersistence(): Persistence {
  let columnBytes = 0
  return {
    openHead: () => ({
      append: async () => {},
      async write(segments) {
        columnBytes += bytesOf(segments)
        return segments.map(memoryHandle)
      },
      commit: async () => {},
      isFailing: () => false,
    }),
    drop(segments) {
      columnBytes -= bytesOf(segments)
    },
    columnBytes: () => columnBytes,
    unload: () => false,
  }
}

const bytesOf = (segments: readonly Pick<Segment, 'hotBytes' | 'coldBytes'>[]) =>
  segments.reduce((sum, { hotBytes, coldBytes }) => sum + hotBytes + coldBytes, 0)
