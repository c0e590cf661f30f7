import { formatIso8601, parseIso8601 } from '../base/time/iso8601.js'
import type { DroppedGroups } from '../common/deletions.js'
import type { DeletionPlace } from '../deletions/place.js'
import type { Deletion } from '../engine/deletion.js'
import type { Views } from '../views/catalog/open-views.js'
import type { LostGroups } from '../views/catalog/regroup.js'

/** The parts of a service that may have deleted rows, or what was made of them. */
interface Parts {
  views: Pick<Views, 'hide' | 'regroup' | 'forget'> | undefined
  /** Deletes cached answers, and ends what may still send the rows. */
  forgetRows(deletion: Deletion): void
  rejects: { erase(project: string): Promise<unknown> }
}

/**
 * Returns the places of rows besides the engine, in the order in which they are hidden and erased. What sends rows comes
 * behind what reads them.
 */
export const placesOf = ({ views, forgetRows, rejects }: Parts): readonly DeletionPlace[] => [
  ...(views === undefined ? [] : [placeOfViews(views)]),
  { hide: forgetRows },
  {
    async erase({ deletion }) {
      await rejects.erase(deletion.project)
    },
  },
]

const placeOfViews = ({ hide, regroup, forget }: NonNullable<Parts['views']>): DeletionPlace => ({
  hide,
  forget,
  erase({ deletion, dropped, saveDropped }, signal) {
    const saveLost = (lost: readonly LostGroups[]) => saveDropped(lost.map(droppedOf))
    return regroup(deletion, { signal, lost: dropped.map(lostOf), saveLost })
  },
})

const droppedOf = ({ view, fromUs, throughUs }: LostGroups): DroppedGroups => ({
  ...{ view, first: formatIso8601(fromUs), last: formatIso8601(throughUs) },
})

const lostOf = ({ view, first, last }: DroppedGroups): LostGroups => ({
  ...{ view, fromUs: parseIso8601(first)!, throughUs: parseIso8601(last)! },
})
