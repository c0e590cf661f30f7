import type { SourceName } from '../../../common/sources.js'
import type { IngestBatch } from '../../engine.js'
import { memoryHandle, type SegmentHandle } from '../segment/handle.js'
import type { Segment } from '../segment/segment.js'

/** Persists rows beyond the process, and decides which columns are in memory. */
export interface Persistence {
  /** Returns the persistence of the next head of a source, for the rows of the head until the head is sealed. */
  openHead(source: SourceName): HeadPersistence
  /** Deletes segments. No query reads the segments any more when `drained` has resolved. */
  drop(segments: readonly SegmentHandle[], drained: Promise<void>): void
  /** Bytes of memory of the columns of all segments. */
  columnBytes(): number
  /**
   * Evicts the columns of the least recently opened segment, if the columns can be loaded again. A query that has
   * opened the segment keeps the columns until the query closes the segment. Returns false if there is no segment to
   * evict.
   */
  unload(): boolean
}

/** Persists the rows of a head. */
export interface HeadPersistence {
  /**
   * Resolves when the batch is persisted. The batch must not become visible before. Rejects if retries were abandoned.
   */
  append(batch: IngestBatch): Promise<void>
  /** Writes rows of the head as segments and returns their handles. A long head takes several calls. */
  write(segments: readonly Segment[]): Promise<readonly SegmentHandle[]>
  /** Called when all rows of the head are written: at a single moment the segments of the head replace the journal. */
  commit(): Promise<void>
  /** Whether the head may lose rows in a power cut, unless the head is sealed soon. */
  isFailing(): boolean
}

/**
 * Calls `show` with each batch of an earlier process's head. Returns the state of the head's persistence: `open` if the
 * persistence accepts more rows, `full` if it accepts no more rows, so that the head is to be sealed, and `none` if the
 * persistence is not used, since there are no rows or the directory is only read.
 */
export type Replay = (show: (batch: IngestBatch) => void) => Promise<'open' | 'full' | 'none'>

/** The store into which the rows of an earlier process are recovered. */
export interface RecoveryTarget {
  /** Adds a sealed segment. */
  adopt(segment: SegmentHandle): void
  /**
   * Makes a head the open head of its source. The previous open head is sealed. A head that is longer than the limits
   * is sealed in parts during the replay.
   */
  reopen(source: SourceName, persistence: HeadPersistence, replay: Replay): Promise<void>
  /**
   * Resolves when the heads that wait for the sealer are within their limit of memory, also if a head cannot be sealed.
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
