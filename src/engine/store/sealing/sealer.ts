import type { OpenBatch } from '../../execute/open-batch/open-batch.js'
import type { PathContent } from '../path-columns/make-path-columns.js'
import type { SealedRows } from '../segment/segment.js'
import type { CancellationFlag } from './cancellation.js'
import type { StoredCold } from './compact.js'
import type { RowsToKeep } from './keep-rows.js'

/** Turns heads that accept no more rows into sealed rows, one head at a time. */
export interface Sealer {
  /**
   * Returns the rows of a head, sealed, a part for each UTC day. Queries may read the head at the same time. With a
   * flag that is not cancelled the cold columns are compressed with high effort. Rejects if sealing fails. The head is
   * then unchanged.
   */
  seal(head: OpenBatch, cancellation?: CancellationFlag): Promise<SealedRows[]>
  /**
   * Returns a smaller file with the rows of a cold file. Undefined if cancelled before the end. Takes ownership of the
   * memory of `cold`.
   */
  compact(cold: StoredCold, cancellation: CancellationFlag): Promise<Buffer | undefined>
  /**
   * Returns columns of the paths of the metadata in a cold file, and the filter of the messages. Undefined if cancelled
   * before the end. Takes ownership of the memory of `cold`.
   */
  makePathColumns(cold: StoredCold, cancellation: CancellationFlag): Promise<PathContent | undefined>
  /** Seals some rows of a segment again, without the others, see {@link keepRows}. Takes ownership of `cold`. */
  keepRows(rows: RowsToKeep): Promise<SealedRows>
  /** Bytes of memory that the sealer reserves for the next head. */
  bytes(): number
  /** Frees the reserved memory: all, or only memory that has not been used since the last call. */
  trim(what: 'idle' | 'all'): void
  /** Ends the sealer. Work that has not finished rejects. */
  close(): Promise<void>
}

/** Work that borrows the sealer while no head is to be sealed, and stops soon after the flag is cancelled. */
export type IdleWork = (sealer: Sealer, cancellation: CancellationFlag) => Promise<void>
