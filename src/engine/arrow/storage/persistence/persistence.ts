import type { SourceName } from '../../../../sources.js'
import type { IngestBatch } from '../../../engine.js'
import { memoryHandle, type SegmentHandle } from '../segment/handle.js'
import type { Segment } from '../segment/segment.js'

/** Where rows are kept so that they outlive the process, and which columns of them are in memory. */
export interface Persistence {
  /** Where the rows of the next head of a source are kept until they are sealed. */
  openHead(source: SourceName): HeadPersistence
  /** Segments that are not wanted any more; nobody reads them once `read` has resolved. */
  drop(segments: readonly SegmentHandle[], read: Promise<void>): void
  /** Bytes of memory that columns of all segments take. */
  columnBytes(): number
  /**
   * Lets go of the columns of the segment that has not been opened for the longest time, where they can be had again; who
   * has opened it keeps what he has. Whether there was one.
   */
  unload(): boolean
}

export interface HeadPersistence {
  /** Resolves when the batch is kept; until then it must not be shown. Rejects where that is given up. */
  append(batch: IngestBatch): Promise<void>
  /** Writes rows of the head as segments, and resolves with what holds them; a long head takes several calls. */
  write(segments: readonly Segment[]): Promise<readonly SegmentHandle[]>
  /** All rows of the head are written: from one moment to the next its segments are what is kept. */
  commit(): Promise<void>
  /** Whether it may lose the rows that it has, unless they are sealed soon. */
  isFailing(): boolean
}

/** Keeps nothing: rows live in memory only. */
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
