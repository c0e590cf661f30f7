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
  /**
   * Keeps what the head holds as these segments, from one moment to the next. Resolves with what
   * holds them from then on.
   */
  seal(segments: readonly Segment[]): Promise<readonly SegmentHandle[]>
  /** Whether it may lose the rows that it has, unless they are sealed soon. */
  isFailing(): boolean
}

/** Keeps nothing: rows live in memory only. */
export const memoryKeeper: Keeper = {
  openHead: () => ({
    append: async () => {},
    seal: async (segments) => segments.map(holdInMemory),
    isFailing: () => false,
  }),
  drop: (segments) => segments.forEach((segment) => void segment.close()),
}
