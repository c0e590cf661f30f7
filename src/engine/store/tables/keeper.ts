import type { SegmentHandle } from '../segment/handle.js'

/** The limit for which rows are dropped. */
export type Limit = 'retention' | 'memory' | 'disk'

/** Tells for which segments it is too early to be dropped. */
export interface SegmentKeeper {
  /** Whether a segment may be dropped now. A segment that may is dropped. */
  mayDrop(segment: SegmentHandle, limit: Limit): boolean
  /** Called when the files fit the limit of the disk, or the rows that are in memory only fit that of the memory. */
  onRoom(): void
  /** Bytes of the keeper's files, which are where the rows are, on the disk or in memory. */
  bytes(): number
}

/** A keeper that keeps nothing. */
export const NO_KEEPER: SegmentKeeper = { mayDrop: () => true, onRoom() {}, bytes: () => 0 }
