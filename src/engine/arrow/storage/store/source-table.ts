import { createSerialQueue, type SerialQueue } from '../../../../base/serial-queue.js'
import type { SourceName } from '../../../../sources.js'
import type { SourceStats } from '../../../engine.js'
import { createHead, type Head, headBytes } from '../head/head.js'
import type { HeadPersistence } from '../persistence/persistence.js'
import type { SegmentHandle } from '../segment/handle.js'

/** Where the rows of each source are: sealed segments and heads being sealed, in order of arrival, and the open head. */
export interface SourceTable {
  source: SourceName
  segments: SegmentHandle[]
  sealing: Sealing[]
  head: Head
  /** Since when the open head has rows, by a clock that never runs backwards. */
  headSinceMs: number
  /** Where the rows of the open head are kept; from its first row on. */
  kept: HeadPersistence | undefined
  /** What appends to the head or closes it takes turns. */
  turns: SerialQueue
}

/** A head that takes no more rows, and where its rows are kept until they are segments. */
export interface Sealing {
  head: Head
  kept: HeadPersistence
}

export function createSourceTable(source: SourceName): SourceTable {
  return {
    source,
    segments: [],
    sealing: [],
    head: createHead(source),
    headSinceMs: 0,
    kept: undefined,
    turns: createSerialQueue(),
  }
}

export function statsOf(table: SourceTable): SourceStats {
  const { source, segments } = table
  const heads = headsOf(table)
  return {
    source,
    rows: sum([...segments, ...heads].map(({ rows }) => rows)),
    segments: segments.length,
    hotBytes: sum(segments.map(({ hotBytes }) => hotBytes)),
    coldBytes: sum(segments.map(({ coldBytes }) => coldBytes)),
    headBytes: sum(heads.map(headBytes)),
  }
}

/** In order of arrival. */
export function headsOf({ sealing, head: open }: SourceTable): Head[] {
  return [...sealing.map(({ head }) => head), open]
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

/** Takes the segments of a day off a table: all of them, or only the oldest. */
export function takeFrom(table: SourceTable, day: number, extent: 'day' | 'oldest segments'): SegmentHandle[] {
  const taken: SegmentHandle[] = []
  table.segments = table.segments.filter((segment) => {
    const stays = segment.day !== day || (extent === 'oldest segments' && taken.length > 0)
    if (!stays) taken.push(segment)
    return stays
  })
  return taken
}
