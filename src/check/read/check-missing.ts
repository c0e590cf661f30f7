import { journalPath } from '../../engine/store/files/file-names.js'
import { takeInventory } from '../../engine/store/files/inventory.js'
import { readSegments } from '../../engine/store/persistence/live-segments.js'
import { missingFiles } from '../../engine/store/persistence/missing.js'
import { note } from '../findings/finding.js'
import { reportOf } from '../findings/report.js'
import type { CheckState } from './check-state.js'

const WHAT =
  'it is missing: a later head or another part of the head exists. Restore it from a backup, unless a person, ' +
  'a repair or retention has removed it'

/**
 * Notes the segments and journals that must have existed, as a start of the service does. Not next to a running
 * service: the service seals and deletes while the directory is listed. `copies` are paths with any number in the name.
 */
export async function checkMissing({ files, isInUse, add }: CheckState, copies: ReadonlySet<string>): Promise<void> {
  if (isInUse) return
  const listed = await takeInventory(files)
  const isOriginal = ({ path }: { path: string }) => !copies.has(path)
  const segments = listed.segments.filter(isOriginal)
  // The check of each segment has reported its damage.
  const found = await readSegments(files, segments, () => {}).catch(unlessNewer)
  if (found === undefined) return
  const journals = listed.journals.filter((id) => !copies.has(journalPath(id)))
  const places = [...segments, ...listed.unfinished.filter(isOriginal)]
  const paths = missingFiles({ journals, places, emptied: listed.emptied, segments: found })
  for (const path of paths) await add(reportOf([note('missing', path, WHAT, { cost: {} })]))
}

/** A segment that a newer version wrote ends the search: nothing is known of its head. */
function unlessNewer(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'newer_format') throw error
}
