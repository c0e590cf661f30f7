import type { SourceName } from '../../../common/sources.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { Limit } from './keeper.js'
import { removeSegments } from './source-table.js'
import { type StoreState, tableOf } from './state.js'

/** The dropped rows of a source and UTC day. */
export interface Dropped {
  source: SourceName
  rows: number
  /** Whether the day has no sealed segment left. */
  wholeDay: boolean
}

/**
 * Drops the sealed segments of a day, or only the oldest segment of each source in the day, apart from segments that
 * the keeper of the store wants to stay for now. Returns the sources that lost rows. Files are deleted once the views
 * that may read the files are released.
 */
export function drop(
  state: StoreState,
  day: number,
  extent: 'day' | 'oldest segments',
  limit: Limit = 'retention',
): Dropped[] {
  const { tables, persistence, readers, onDrop, keeper } = state
  const mayDrop = (segment: SegmentHandle) => keeper.mayDrop(segment, limit)
  const removed = [...tables.values()].map((table) => ({
    table,
    segments: removeSegments(table, day, extent, mayDrop),
  }))
  for (const { table, segments } of removed) if (segments.length > 0) table.revision++
  const segments = removed.flatMap(({ segments }) => segments)
  persistence.drop(segments, readers.drained())
  onDrop(segments)
  return removed
    .filter(({ segments }) => segments.length > 0)
    .map(({ table, segments }) => ({
      source: table.source,
      rows: segments.reduce((sum, { rows }) => sum + rows, 0),
      wholeDay: table.segments.every((segment) => segment.day !== day),
    }))
}

/** Removes a damaged segment from later views, and the rows of the segment from the caches. The files stay. */
export function setAside(state: StoreState, segment: SegmentHandle): void {
  const table = tableOf(state, segment.source)
  table.segments = table.segments.filter((other) => other !== segment)
  table.revision++
  state.onDrop([segment])
}

/** Returns the UTC days before a day that have sealed segments, in days since the epoch, the oldest first. */
export function daysBefore({ tables }: StoreState, day: number): number[] {
  const days = [...tables.values()].flatMap(({ segments }) => segments.map((segment) => segment.day))
  return [...new Set(days)].filter((one) => one < day).sort((a, b) => a - b)
}

/** Returns the oldest UTC day of all sealed segments, in days since the epoch. Undefined if there is none. */
export function oldestDay({ tables }: StoreState): number | undefined {
  let oldest: number | undefined
  for (const { segments } of tables.values()) {
    for (const { day } of segments) if (oldest === undefined || day < oldest) oldest = day
  }
  return oldest
}
