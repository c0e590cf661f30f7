import { DAY_US } from '../../base/units.js'
import type { SourceName } from '../../common/sources.js'
import type { Deletion } from '../../engine/deletion.js'
import {
  filterGroups,
  type GroupRange,
  type GroupStream,
  isInRange,
  projectKey,
  type StateGroup,
} from '../state/group.js'
import type { KeptView } from './kept-view.js'
import type { LiveState } from './live-states.js'

/**
 * The facts about a deletion that views need. Groups outlive the rows, so `sources` also has the deletion's sources of
 * which no row is stored any more.
 */
export interface DeletionOfGroups extends Pick<Deletion, 'id' | 'project' | 'fromUs' | 'throughUs'> {
  sources: { has(source: SourceName): boolean }
}

/** The buckets of a project and a UTC day that may have rows of a deletion. */
export interface TouchedBuckets extends GroupRange {
  projectName: string
}

/**
 * Returns the buckets of a day that a deletion touches. Undefined if there are none. A view that this version of
 * logweir cannot read is touched as a whole day, whatever its sources.
 */
export function touchedBuckets(
  { project, fromUs, throughUs, sources }: DeletionOfGroups,
  view: Pick<KeptView, 'sources' | 'unitUs'> | undefined,
  day: number,
): TouchedBuckets | undefined {
  if (view?.sources.some((source) => sources.has(source)) === false) return undefined
  const unitUs = view?.unitUs ?? DAY_US
  const range = {
    fromUs: Math.max(day * DAY_US, Math.floor(fromUs / unitUs) * unitUs),
    toUs: Math.min((day + 1) * DAY_US, Math.floor(throughUs / unitUs + 1) * unitUs),
  }
  return range.fromUs < range.toUs ? { project: projectKey(project), projectName: project, ...range } : undefined
}

/** The deletions that are not finished, and the views by identity. */
interface Unfinished {
  deletions: readonly DeletionOfGroups[]
  kept: ReadonlyMap<string, KeptView>
}

/** Returns the deletions that touch groups of a view and a day. */
export const touchingDeletions = ({ deletions, kept }: Unfinished, identity: string, day: number): DeletionOfGroups[] =>
  deletions.filter((deletion) => touchedBuckets(deletion, kept.get(identity), day) !== undefined)

/**
 * Returns the buckets of a file with groups that have deleted rows, or may have: the file was made before the rows were
 * hidden. Only those of `project`, if given.
 */
export function staleBuckets(
  { deletions, kept }: Unfinished,
  { facts: { view, day }, without }: Pick<LiveState, 'facts' | 'without'>,
  project?: string,
): TouchedBuckets[] {
  return deletions.flatMap((deletion) => {
    if (without.has(deletion.id) || (project !== undefined && deletion.project !== project)) return []
    return touchedBuckets(deletion, kept.get(view), day) ?? []
  })
}

/** Returns a test of groups: whether they are in one of some ranges. */
export const isInSome =
  (ranges: readonly GroupRange[]) =>
  (group: Pick<StateGroup, 'project' | 'bucketUs'>): boolean =>
    ranges.some((range) => isInRange(range, group))

/** Returns a stream without the groups in some ranges. */
export function leaveOut(stream: GroupStream, ranges: readonly GroupRange[]): GroupStream {
  const isLeftOut = isInSome(ranges)
  return filterGroups(stream, (group) => !isLeftOut(group))
}
