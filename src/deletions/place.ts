import type { DroppedGroups } from '../common/deletions.js'
import type { Deletion } from '../engine/deletion.js'

/** A place outside of the engine that has deleted rows, or what was made of them. */
export interface DeletionPlace {
  /** Hides the rows from every read that starts from now on. Called before recovery too. */
  hide?(deletion: Deletion): void
  /**
   * Removes the rows for good. May be called again for a deletion that was interrupted. Resolves with the groups of
   * views that were dropped, if any.
   */
  erase?(erasing: Erasing, signal: AbortSignal): Promise<readonly DroppedGroups[] | undefined>
}

/** A deletion that is erased from a place. */
export interface Erasing {
  deletion: Deletion
  acceptedUs: number
  /** Whether all rows of the project are deleted that there were. */
  isOfWholeProject: boolean
}
