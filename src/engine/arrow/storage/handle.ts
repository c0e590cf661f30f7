import type { SourceName } from '../../../sources.js'
import type { Part } from '../columns/batch.js'
import { createLifetime, type Lifetime } from './lifetime.js'
import type { Segment } from './segment.js'

/** A segment that a store holds, whether its columns are in memory or on disk. Who reads it retains it so long. */
export interface SegmentHandle extends Part, Lifetime {
  readonly source: SourceName
  /** The UTC day of all its rows, in days since the epoch. */
  readonly day: number
  /** Bytes of memory that its columns take now. */
  readonly hotBytes: number
  readonly coldBytes: number
  /** Of two segments the one that was opened later has the higher number; 0: never. */
  readonly lastOpened: number
  /** Lets go of its columns where they can be had again; who has opened it before keeps what he has. */
  unload(): void
}

/** A segment that lives in memory only. */
export function holdInMemory(segment: Segment): SegmentHandle {
  const { source, day, rows, minUs, maxUs, hotBytes, coldBytes } = segment
  return {
    ...createLifetime(() => Promise.resolve()),
    ...{ isSealed: true, source, day, rows, minUs, maxUs, hotBytes, coldBytes },
    lastOpened: 0,
    open: () => segment,
    unload() {},
  }
}
