import type { SegmentHandle } from '../segment/handle.js'

/** The limit for which rows are dropped. */
export type Limit = 'retention' | 'memory' | 'disk'

/** Tells for which segments it is too early to be dropped. */
export interface SegmentKeeper {
  /** Whether a segment may be dropped now. A segment that may is dropped. */
  mayDrop(segment: SegmentHandle, limit: Limit): boolean
  /** Called when the files fit the limit of the disk. */
  onRoom(): void
  /** Bytes of files that the keeper has on the disk. */
  bytes(): number
}

/** A keeper that keeps nothing. */
export const NO_KEEPER: SegmentKeeper = { mayDrop: () => true, onRoom() {}, bytes: () => 0 }
