import type { Yielder } from '../../base/scheduling/time-slices.js'
import type { Files } from '../../engine/disk/files/files.js'
import type { Part } from '../../engine/execute/columns/batch.js'
import { journalOfCheck } from '../../engine/store/files/facts.js'
import { emptiedPath, parseSegmentPath } from '../../engine/store/files/file-names.js'
import type { GroupStream, StateGroup } from '../state/group.js'
import { mergeGroups } from '../state/merge.js'
import { mergingOf } from '../state/merged-states.js'
import { boundsOfFile } from './bounds.js'
import { BUILD_BYTES } from './build.js'
import type { Catalog, GroupableEngine } from './catalog.js'
import { groupBuckets } from './group-rows.js'
import type { KeptView } from './kept-view.js'
import type { LiveState } from './live-states.js'
import type { TouchedBuckets } from './touched-buckets.js'

/** The segments of a file with rows that are still stored. */
export const partsOf = ({ live }: Catalog, state: LiveState, parts: readonly Part[]): Part[] =>
  parts.filter(
    ({ stored, isSetAside }) =>
      stored !== undefined && !isSetAside && live.fileOf(state.facts.view, stored.check) === state,
  )

/** The rows of a file that are left. */
export interface RowsLeft {
  view: KeptView
  rows: ReturnType<GroupableEngine['groupable']>
  parts: readonly Part[]
}

/**
 * Whether a file may count rows in the touched buckets that are no longer stored, or hidden since they are too old.
 * `fromUs` is the start of the first of these buckets that has groups.
 */
export async function areRowsGone(
  { files, live, rowLimits, clock }: Catalog,
  { facts }: LiveState,
  { view, parts }: RowsLeft,
  { project, fromUs }: { project: string; fromUs: number },
): Promise<boolean> {
  const stored = parts.flatMap(({ stored }) => stored?.check ?? [])
  const present = new Set([...stored, ...stored.map((check) => live.salvaged.get(journalOfCheck(check)))])
  const nowUs = clock.nowUs()
  if (view.sources.some((source) => rowLimits.hiddenThroughUs(source, project, nowUs) >= fromUs)) return true
  for (const { check, name } of facts.segments) if (!present.has(check) && !(await isEmptied(files, name))) return true
  return false
}

/** Whether a segment is gone since all of its rows were deleted on request: no view may count them. */
async function isEmptied(files: Files, name: string): Promise<boolean> {
  const place = parseSegmentPath(name)
  if (place === undefined) return false
  const path = emptiedPath(place)
  const nameAt = path.lastIndexOf('/') + 1
  return (await files.list(path.slice(0, nameAt - 1))).includes(path.slice(nameAt))
}

/** Groups the rows of a file that are left in touched buckets, within the bounds of files. */
export function groupsLeft(
  catalog: Catalog,
  state: LiveState,
  left: RowsLeft,
  { buckets, ...run }: LeftRun,
): GroupStream {
  const stream = { [Symbol.asyncIterator]: () => groupInPieces(left, state.facts.day, buckets, run) }
  const merging = mergingOf(left.view.aggregation, run.yieldIfDue)
  return mergeGroups([stream], boundsOfFile(catalog, left.view, [state]), merging)
}

/** How groups are computed from the rows that are left. */
interface LeftRun {
  buckets: TouchedBuckets
  yieldIfDue: Yielder
  /** Called with the start of a bucket with groups that take too much memory, and are left out. */
  onTooLarge(bucketUs: number): Promise<void>
}

/** Groups rows, the newest bucket first: half of the buckets at a time if all take too much memory. */
async function* groupInPieces(
  left: RowsLeft,
  day: number,
  buckets: TouchedBuckets,
  run: Omit<LeftRun, 'buckets'>,
): AsyncGenerator<readonly StateGroup[], void> {
  const { unitUs } = left.view
  const { fromUs, toUs } = buckets
  const memory = { memory: { add() {} }, limitBytes: BUILD_BYTES, isCached: false }
  let streams: readonly GroupStream[] = []
  try {
    streams = await groupBuckets(left, left.parts, { day, buckets: [buckets] }, { ...memory, ...run })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'too_much_memory') throw error
    if (toUs - fromUs <= unitUs) return run.onTooLarge(fromUs)
    const middleUs = fromUs + Math.ceil((toUs - fromUs) / unitUs / 2) * unitUs
    yield* groupInPieces(left, day, { ...buckets, fromUs: middleUs }, run)
    yield* groupInPieces(left, day, { ...buckets, toUs: middleUs }, run)
  }
  for (const stream of streams) yield* stream
}
