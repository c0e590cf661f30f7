import type { GroupBounds } from '../state/merge.js'
import type { Catalog } from './catalog.js'
import type { KeptView } from './kept-view.js'
import type { LiveState } from './live-states.js'

/** The most groups of a bucket of a project that keep their keys. */
export const BUCKET_GROUPS = 100_000
/** The part of a view's bytes that a project may take. */
export const PROJECT_SHARE = 1 / 10

/** Returns the bytes that the files of each view may take. */
const shareOf = ({ viewBytes, kept }: Pick<Catalog, 'viewBytes' | 'kept'>): number => viewBytes / Math.max(1, kept.size)

/**
 * Returns the bounds of the groups of a new file of a view, which takes the place of other files: the part of the
 * view's bytes that the files that stay leave. Groups are taken to be compressed as well as those of the view's files.
 */
export function boundsOfFile(catalog: Catalog, view: KeptView, replaced: readonly LiveState[]): GroupBounds {
  const live = catalog.live.of(view.identity)
  const stay = live.filter((state) => !replaced.includes(state))
  // Bytes before compression.
  const share = shareOf(catalog) * contentPerByte(live)
  const taken = sum(stay.map(({ facts }) => facts.groupBytes))
  const byProject = new Map<string, number>()
  for (const { project, bytes } of stay.flatMap(({ facts }) => facts.largeProjects))
    byProject.set(project, (byProject.get(project) ?? 0) + bytes)
  return {
    groups: BUCKET_GROUPS,
    bytesOf: (project) => Math.max(0, share * PROJECT_SHARE - (byProject.get(project.toString('base64')) ?? 0)),
    bytes: Math.max(0, share - taken),
    restKeys: view.restKeys,
  }
}

/** Returns the bounds of groups that are read: those of files are within their bounds, and others are in memory. */
export const boundsOfRead = ({ restKeys }: KeptView): GroupBounds => ({
  groups: BUCKET_GROUPS,
  bytesOf: () => Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  restKeys,
})

/** How many bytes of groups a byte of files has, 1 without groups. */
const contentPerByte = (states: readonly LiveState[]): number =>
  sum(states.map(({ facts }) => facts.groupBytes)) / sum(states.map(({ bytes }) => bytes)) || 1

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
