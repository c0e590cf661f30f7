import type { SourceName } from '../../../common/sources.js'
import type { Part } from '../../execute/columns/batch.js'
import { declaredPaths } from './declared-paths.js'
import type { ProjectIndex, Segment } from './segment.js'

/** A segment of a store, with columns in memory or on disk. */
export interface SegmentHandle extends Part {
  readonly source: SourceName
  /** The number of the head of the segment's rows. */
  readonly head: number
  /** The UTC day of all rows, in days since the epoch. */
  readonly day: number
  /** Bytes of the files, or of the columns if the segment is in memory only. */
  readonly fileBytes: number
  /** Bytes of memory that the columns take now, 0 for columns that are not loaded. */
  readonly hotBytes: number
  readonly coldBytes: number
  /** Returns the index of projects. Rejects with `damaged_segment`, or the system's error. */
  readProjects(): ProjectIndex | Promise<ProjectIndex>
}

/** The handle of a segment that is in memory only. */
export interface MemoryHandle extends SegmentHandle {
  readonly segment: Segment
}

/** Segments that are in memory only have no place but a number. */
let segments = 0

/** Returns the handle of a segment of a head that is in memory only. */
export function memoryHandle(segment: Segment, head: number): MemoryHandle {
  const { source, day, rows, minUs, maxUs, hotBytes, coldBytes } = segment
  return {
    isSealed: true,
    owner: segment,
    segment,
    head,
    stored: { name: 'memory', check: String(++segments) },
    source,
    day,
    rows,
    minUs,
    maxUs,
    fileBytes: hotBytes + coldBytes,
    hotBytes,
    coldBytes,
    readProjects: () => segment.projects,
    columnPaths: () => new Set(declaredPaths(source, segment.inMetadata.mask)),
    open: () => segment,
    close() {},
  }
}
