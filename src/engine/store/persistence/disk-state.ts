import { createSerialQueue, type SerialQueue } from '../../../base/scheduling/serial-queue.js'
import { KIB } from '../../../base/units.js'
import type { SourceName } from '../../../common/sources.js'
import type { DiskRetry } from '../../disk/files/disk-retry.js'
import type { Files } from '../../disk/files/files.js'
import type { Journal } from '../../disk/journal/writer.js'
import { createColumnCache, type DiskSegment, type SegmentDisk } from '../files/disk-segment.js'
import type { HeadId } from '../files/file-names.js'

/** A shorter cold file is not compacted: compaction would save next to nothing. */
const MIN_COMPACT_BYTES = 64 * KIB

/** The state of a disk persistence, which the functions of this folder share. */
export interface DiskState extends SegmentDisk {
  readonly diskRetry: DiskRetry
  /** Longer cold files are not compacted, since their texts would not fit into memory. */
  readonly maxCompactBytes: number
  /** The journals of all heads that are not sealed. */
  readonly journals: Set<Journal>
  /** The number of the newest head of each source. */
  readonly lastNumbers: Map<SourceName, number>
  /** The segments that are to be compacted, oldest first. */
  readonly uncompacted: Set<DiskSegment>
  /** Bytes of the files of all segments, also of damaged segments that were set aside. */
  segmentBytes: number
  /** Bytes of files that are kept but not live: damaged files, copies, and unknown files. */
  otherBytes: number
  /** Deletes the files of dropped segments in succession. */
  readonly removals: SerialQueue
}

/** Calls of a persistence to the owner, see {@link SegmentDisk}. */
export type PersistenceHooks = Pick<SegmentDisk, 'onLoad' | 'onDamage'>

/** Returns the state of a persistence before recovery. */
export function createDiskState(
  files: Files,
  diskRetry: DiskRetry,
  { onLoad, onDamage }: PersistenceHooks,
  maxCompactBytes: number,
): DiskState {
  const uncompacted = new Set<DiskSegment>()
  return {
    files,
    diskRetry,
    onLoad,
    onDamage(segment, error) {
      uncompacted.delete(segment)
      onDamage(segment, error)
    },
    maxCompactBytes,
    columns: createColumnCache(),
    journals: new Set(),
    lastNumbers: new Map(),
    uncompacted,
    segmentBytes: 0,
    otherBytes: 0,
    removals: createSerialQueue(),
  }
}

/** Marks the number of a head as used. */
export function reserveNumber({ lastNumbers }: DiskState, { source, number }: HeadId): void {
  lastNumbers.set(source, Math.max(number, lastNumbers.get(source) ?? 0))
}

/** Counts a segment that is now live, and queues the segment for compaction if compaction is worth the work. */
export function addSegment(state: DiskState, segment: DiskSegment): void {
  state.segmentBytes += segment.fileBytes
  const { uncompactedBytes } = segment
  if (uncompactedBytes >= MIN_COMPACT_BYTES && uncompactedBytes <= state.maxCompactBytes) state.uncompacted.add(segment)
}
