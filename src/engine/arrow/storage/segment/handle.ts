import type { SourceName } from '../../../../sources.js'
import type { Part } from '../../columns/batch.js'
import type { Segment } from './segment.js'

/** A segment that a store holds, whether its columns are in memory or on disk. */
export interface SegmentHandle extends Part {
  readonly source: SourceName
  /** The UTC day of all its rows, in days since the epoch. */
  readonly day: number
  /** Bytes of memory that its columns take now. */
  readonly hotBytes: number
  readonly coldBytes: number
}

/** A segment that lives in memory only. */
export function memoryHandle(segment: Segment): SegmentHandle {
  const { source, day, rows, minUs, maxUs, hotBytes, coldBytes } = segment
  return { isSealed: true, source, day, rows, minUs, maxUs, hotBytes, coldBytes, open: () => segment, close() {} }
}
