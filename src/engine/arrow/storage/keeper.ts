import type { SourceName } from '../../../sources.js'
import type { IngestBatch } from '../../engine.js'
import { holdInMemory, type SegmentHandle } from './handle.js'
import type { Segment } from './segment.js'

/** Where rows are kept so that they outlive the process. */
export interface Keeper {
  /** Where the rows of the next head of a source are kept until they are sealed. */
  openHead(source: SourceName): HeadKeeper
  /** Segments that are not wanted any more. */
  drop(segments: readonly SegmentHandle[]): void
}

export interface HeadKeeper {
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
export const memoryKeeper: Keeper = {
  openHead: () => ({
    append: async () => {},
    write: async (segments) => segments.map(holdInMemory),
    commit: async () => {},
    isFailing: () => false,
  }),
  drop: (segments) => segments.forEach((segment) => void segment.close()),
}
