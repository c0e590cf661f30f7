import { createSerialQueue, type SerialQueue } from '../../../base/scheduling/serial-queue.js'
import type { SourceName } from '../../../common/sources.js'
import type { SourceStats } from '../../engine.js'
import { bytesOfOpenBatch, createOpenBatch, type OpenBatch } from '../../execute/open-batch/open-batch.js'
import type { HeadPersistence } from '../persistence/persistence.js'
import type { SegmentHandle } from '../segment/handle.js'

/** All rows of a source: sealed segments, then heads that are being sealed, then the open head, in order of arrival. */
export interface SourceTable {
  source: SourceName
  segments: SegmentHandle[]
  sealing: SealingHead[]
  head: OpenBatch
  /** When the open head received its first row, in milliseconds of the monotonic clock. */
  headSinceMs: number
  /** Persists the rows of the open head. Undefined until the head has a row. */
  persistence: HeadPersistence | undefined
  /** Serialises appends to the open head and its replacement. */
  queue: SerialQueue
  /** How often the visible rows have changed: batches appended, segments dropped or set aside. */
  revision: number
}

/** A head that accepts no more rows, and the persistence of the rows until segments replace the head. */
export interface SealingHead {
  head: OpenBatch
  persistence: HeadPersistence
}

/** Returns the table of a source without rows. */
export function createSourceTable(source: SourceName): SourceTable {
  return {
    source,
    segments: [],
    sealing: [],
    head: createOpenBatch(source),
    headSinceMs: 0,
    persistence: undefined,
    queue: createSerialQueue(),
    revision: 0,
  }
}

/** Returns the counts of a table: rows and segments, and bytes of memory. Costs a pass over the segments. */
export function statsOf(table: SourceTable): SourceStats {
  const { source, segments } = table
  const heads = headsOf(table)
  return {
    source,
    rows: sum([...segments, ...heads].map(({ rows }) => rows)),
    segments: segments.length,
    hotBytes: sum(segments.map(({ hotBytes }) => hotBytes)),
    coldBytes: sum(segments.map(({ coldBytes }) => coldBytes)),
    headBytes: sum(heads.map(bytesOfOpenBatch)),
  }
}

/** Returns the heads of a table in order of arrival. The open head, which may be empty, is the last. */
export function headsOf({ sealing, head: open }: SourceTable): OpenBatch[] {
  return [...sealing.map(({ head }) => head), open]
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

/**
 * Removes and returns segments of a day that may go: all such segments of the day, or only the oldest. Empty if the day
 * has no such segments.
 */
export function removeSegments(
  table: SourceTable,
  day: number,
  extent: 'day' | 'oldest segments',
  mayDrop: (segment: SegmentHandle) => boolean,
): SegmentHandle[] {
  const removed: SegmentHandle[] = []
  table.segments = table.segments.filter((segment) => {
    const isEnough = extent === 'oldest segments' && removed.length > 0
    const stays = segment.day !== day || isEnough || !mayDrop(segment)
    if (!stays) removed.push(segment)
    return stays
  })
  return removed
}
