import { createSerialQueue, type SerialQueue } from '../../../base/scheduling/serial-queue.js'
import { KIB } from '../../../base/units.js'
import type { SourceName } from '../../../common/sources.js'
import { createFormatRaiser, LIFE_FORMAT, ROWS_FORMAT } from '../../disk/directory/format.js'
import type { DiskRetry } from '../../disk/files/disk-retry.js'
import type { Files } from '../../disk/files/files.js'
import type { Journal } from '../../disk/journal/writer.js'
import type { DiskSegment, SegmentDisk } from '../files/disk-segment.js'
import type { HeadId } from '../files/file-names.js'
import { createColumnCache, createPathCache } from '../files/segment-caches.js'

/** A shorter cold file is not compacted, and a smaller segment gets no path columns: both would save nothing. */
const MIN_COMPACT_BYTES = 64 * KIB
/** A cold file of at most this share of a head's bytes has about the texts of one head: logs compress to a sixth. */
const COMPACT_SHARE = 1 / 4

/** The state of a disk persistence, which the functions of this folder share. */
export interface DiskState extends SegmentDisk {
  readonly diskRetry: DiskRetry
  /** Whether a head of an earlier process accepts no more rows. */
  isClosed(id: HeadId): boolean
  /** The most bytes of a head. Idle work may take as much memory as a head. */
  readonly headBytes: number
  /** The journals of all heads that are not sealed. */
  readonly journals: Set<Journal>
  /** The number of the newest head of each source. */
  readonly lastNumbers: Map<SourceName, number>
  /** The segments that are to be compacted, oldest first. */
  readonly uncompacted: Set<DiskSegment>
  /** The segments that are to get path columns, oldest first. */
  readonly withoutPathColumns: Set<DiskSegment>
  /** Bytes of the files of all segments, also of damaged segments that were set aside. */
  segmentBytes: number
  /** Bytes of files that are kept but not live: damaged files, copies, and unknown files. */
  otherBytes: number
  /** Marks the directory as one in which rows may have been removed from segments. */
  raiseLifeFormat(): Promise<void>
  /** Deletes the files of dropped segments in succession. */
  readonly removals: SerialQueue
}

/** Calls of a persistence to the owner, see {@link SegmentDisk}. */
export interface PersistenceHooks extends Pick<SegmentDisk, 'onLoad' | 'onDamage' | 'onPathDamage'> {
  /** Whether a head of an earlier process accepts no more rows. */
  isClosed?(id: HeadId): boolean
}

/** Returns the state of a persistence before recovery. */
export function createDiskState(
  files: Files,
  diskRetry: DiskRetry,
  { onLoad, onDamage, onPathDamage, isClosed = () => false }: PersistenceHooks,
  headBytes: number,
): DiskState {
  const uncompacted = new Set<DiskSegment>()
  const withoutPathColumns = new Set<DiskSegment>()
  return {
    files,
    diskRetry,
    onLoad,
    onDamage(segment, error) {
      uncompacted.delete(segment)
      withoutPathColumns.delete(segment)
      onDamage(segment, error)
    },
    onPathDamage(segment, error) {
      withoutPathColumns.add(segment)
      onPathDamage(segment, error)
    },
    isClosed,
    headBytes,
    columns: createColumnCache<DiskSegment>(),
    paths: createPathCache<DiskSegment>(),
    journals: new Set(),
    lastNumbers: new Map(),
    uncompacted,
    withoutPathColumns,
    raiseFormat: createFormatRaiser(files, ROWS_FORMAT),
    raiseLifeFormat: createFormatRaiser(files, LIFE_FORMAT),
    segmentBytes: 0,
    otherBytes: 0,
    removals: createSerialQueue(),
  }
}

/** Marks the number of a head as used. */
export function reserveNumber({ lastNumbers }: DiskState, { source, number }: HeadId): void {
  lastNumbers.set(source, Math.max(number, lastNumbers.get(source) ?? 0))
}

/** Counts a segment that is now live, and queues the segment for the idle work that is worth its time. */
export function addSegment(state: DiskState, segment: DiskSegment): void {
  state.segmentBytes += segment.fileBytes
  const { uncompactedBytes, fileBytes, hasPathColumns } = segment
  const isWorth = (bytes: number, most: number) => bytes >= MIN_COMPACT_BYTES && bytes <= most
  // Compaction has all texts of a segment in memory, path columns are made with the file in memory.
  if (isWorth(uncompactedBytes, state.headBytes * COMPACT_SHARE)) state.uncompacted.add(segment)
  if (isWorth(fileBytes, state.headBytes) && !hasPathColumns) state.withoutPathColumns.add(segment)
}
