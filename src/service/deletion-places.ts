import type { Log } from '../base/log.js'
import { formatIso8601, parseIso8601 } from '../base/time/iso8601.js'
import type { DroppedGroups } from '../common/deletions.js'
import { HISTORY_SOURCE } from '../common/sources.js'
import type { DeletionPlace } from '../deletions/place.js'
import type { Deletion } from '../engine/deletion.js'
import { revokeProject } from '../tokens/revoke-project.js'
import type { Views } from '../views/catalog/open-views.js'
import type { LostGroups } from '../views/catalog/regroup.js'

/** The parts of a service that may have deleted rows, or data derived from these rows. */
interface Parts {
  views: Pick<Views, 'hide' | 'regroup' | 'forget'> | undefined
  /** Deletes cached answers, and ends replies that may still send the rows. */
  forgetRows(deletion: Deletion): void
  rejects: { erase(project: string): Promise<unknown> }
  /** Forgets the alerts of a project, also if there are no rules any more. */
  forgetAlerts(project: string): Promise<void>
  /** The file of hashed tokens. Undefined if there is none. */
  tokensPath: string | undefined
  log: Log
}

/**
 * Returns the places of rows besides the engine, in the order in which they are hidden and erased. Places that send
 * rows come behind places that read rows.
 */
export const placesOf = ({ views, forgetRows, rejects, ...parts }: Parts): readonly DeletionPlace[] => [
  ...(views === undefined ? [] : [placeOfViews(views)]),
  { hide: forgetRows },
  {
    async erase({ deletion }) {
      await rejects.erase(deletion.project)
    },
  },
  placeOfAlerts(parts),
  placeOfTokens(parts),
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

const placeOfAlerts = ({ forgetAlerts }: Pick<Parts, 'forgetAlerts'>): DeletionPlace => ({
  /** An alert without its rows must not be resolved: that would be a new row of the project. */
  hide(deletion) {
    if (isOfAllRows(deletion)) void forgetAlerts(deletion.project).catch(() => {})
  },
  async erase({ deletion, isOfWholeProject }) {
    if (isOfWholeProject) await forgetAlerts(deletion.project)
  },
})

/** Whether a deletion deletes all rows of its sources, and so all rows of alerts. */
const isOfAllRows = ({ fromUs, throughUs, sources }: Deletion): boolean =>
  fromUs === Number.NEGATIVE_INFINITY &&
  throughUs === Number.POSITIVE_INFINITY &&
  sources.has(HISTORY_SOURCE) &&
  [...sources.values()].every(({ where }) => where === undefined)

const placeOfTokens = ({ tokensPath, log }: Pick<Parts, 'tokensPath' | 'log'>): DeletionPlace => ({
  async erase({ deletion: { id, project }, acceptedUs, isOfWholeProject }) {
    if (!isOfWholeProject || tokensPath === undefined) return
    const fields = { deletion: id, project }
    try {
      const revoked = await revokeProject(tokensPath, project, acceptedUs)
      if (revoked.length === 0) return
      log(`revoked the tokens of the deletion ${id}: ${revoked.join(', ')}`, { code: 'tokens_revoked', ...fields })
    } catch (error) {
      // The service may not be allowed to write the file. The rows go all the same.
      const message = `the tokens of the deletion ${id} are not revoked: ${(error as Error).message}`
      log(`${message} Revoke them: logweir token list`, { level: 'error', code: 'tokens_not_revoked', ...fields })
    }
  },
})
