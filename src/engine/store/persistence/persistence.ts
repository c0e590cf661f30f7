import type { SourceName } from '../../../common/sources.js'
import type { IngestBatch } from '../../engine.js'
import type { MakePathColumns } from '../files/disk-segment.js'
import { copyOfCold, type StoredCold } from '../sealing/compact.js'
import { type MemoryHandle, memoryHandle, type SegmentHandle } from '../segment/handle.js'
import { type SealedRows, type Segment, segmentOfSealedRows } from '../segment/segment.js'

/** Persists rows beyond the process, and decides which columns are in memory. */
export interface Persistence {
  /** Returns the persistence of the next head of a source, for the rows of the head until the head is sealed. */
  openHead(source: SourceName): HeadPersistence
  /** Returns the number of the newest head of a source, 0 if there was none. */
  lastHead(source: SourceName): number
  /**
   * Deletes segments. No query reads the segments any more when `drained` has resolved. Resolves when the files are
   * gone. Rejects if retries were abandoned: the next start finds the segments again.
   */
  drop(segments: readonly SegmentHandle[], drained: Promise<void>): Promise<void>
  /**
   * Writes the rows of a segment that are left, undefined if none are, in place of the segment. Resolves when the new
   * rows survive a power cut, with their handle: `drop` the old segment then. `makePathColumns` makes the columns of
   * paths, if the old segment has such columns. Rejects with the system's error.
   */
  replace(
    segment: SegmentHandle,
    left: SealedRows | undefined,
    makePathColumns: MakePathColumns,
  ): Promise<SegmentHandle | undefined>
  /** Reads a sealed segment, to be sealed again. Rejects with `damaged_segment`, or with the system's error. */
  readToSeal(segment: SegmentHandle): Promise<SegmentToSeal>
  /** Bytes of memory of the columns of all segments. */
  columnBytes(): number
  /**
   * Evicts the columns of the least recently opened segment, if the columns can be loaded again. A query that has
   * opened the segment keeps the columns until the query closes the segment. Returns false if there is no segment to
   * evict.
   */
  unload(): boolean
}

/** A segment with all columns, and its cold file. */
interface SegmentToSeal {
  segment: Segment
  /** A copy. */
  cold: StoredCold
}

/** Persists the rows of a head. */
export interface HeadPersistence {
  /** The number of the head. Heads of a source are numbered in the order of opening. */
  readonly number: number
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
  const lastHeads = new Map<SourceName, number>()
  const lastHead = (source: SourceName) => lastHeads.get(source) ?? 0
  function add(segment: Segment, head: number): SegmentHandle {
    columnBytes += bytesOf([segment])
    return memoryHandle(segment, head)
  }
  return {
    openHead(source) {
      const number = lastHead(source) + 1
      lastHeads.set(source, number)
      return {
        number,
        append: async () => {},
        write: async (segments) => segments.map((segment) => add(segment, number)),
        commit: async () => {},
        isFailing: () => false,
      }
    },
    lastHead,
    async drop(segments) {
      columnBytes -= bytesOf(segments)
    },
    replace: async ({ head }, left) => left && add(segmentOfSealedRows(left), head),
    async readToSeal(handle) {
      const { segment } = handle as MemoryHandle
      return { segment, cold: copyOfCold(segment.cold, segment.rows) }
    },
    columnBytes: () => columnBytes,
    unload: () => false,
  }
}

const bytesOf = (segments: readonly Pick<Segment, 'hotBytes' | 'coldBytes'>[]) =>
  segments.reduce((sum, { hotBytes, coldBytes }) => sum + hotBytes + coldBytes, 0)
