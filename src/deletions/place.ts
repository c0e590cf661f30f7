import type { DroppedGroups } from '../common/deletions.js'
import type { Deletion } from '../engine/deletion.js'

/** A place outside of the engine that has deleted rows, or data derived from these rows. */
export interface DeletionPlace {
  /** Hides the rows from every read that starts from now on. Called before recovery too. */
  hide?(deletion: Deletion): void
  /** Called once no file has the rows any more, also those of the engine. */
  forget?(id: string): void
  /** Removes the rows for good. May be called again for a deletion that was interrupted. */
  erase?(erasing: Erasing, signal: AbortSignal): Promise<void>
}

/** A deletion that is erased from a place. */
export interface Erasing {
  deletion: Deletion
  acceptedUs: number
  /** Whether all rows of the project are deleted that there were. */
  isOfWholeProject: boolean
  /** The groups of views that were dropped so far. */
  dropped: readonly DroppedGroups[]
  /** To be called before groups are dropped, with all of them. Once the promise resolves, the list survives a crash. */
  saveDropped(dropped: readonly DroppedGroups[]): Promise<void>
}
