import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createYielder, type Yielder } from '../../base/scheduling/time-slices.js'
import { isDamage } from '../../engine/execute/columns/damage.js'
import type { GroupStream } from '../state/group.js'
import { groupsOfFile } from '../state/read-file.js'
import { sortedGroups } from '../state/sorted.js'
import { replaceFile } from './build.js'
import { type Catalog, setAsideDamaged } from './catalog.js'
import { isIdentity, parseStatePath, VIEWS, viewPath } from './file-names.js'
import { areRowsGone, groupsLeft, partsOf } from './groups-left.js'
import type { LiveState } from './live-states.js'
import { release } from './release.js'
import { type DeletionOfGroups, leaveOut, type TouchedBuckets, touchedBuckets } from './touched-buckets.js'

/** Buckets of a view of which a deletion takes groups that may have had rows which were gone before. */
export interface LostGroups {
  /** The name of the view or old version. */
  view: string
  /** The starts of the first and the last bucket, in microseconds since the epoch. */
  fromUs: number
  throughUs: number
}

/** How groups are computed again. */
export interface RegroupOptions {
  signal: AbortSignal
  /** The groups that earlier calls for the deletion have lost, a range for each view. */
  lost: readonly LostGroups[]
  /**
   * Called with the longer ranges before groups are lost. Once the promise resolves, the ranges survive a power cut.
   */
  saveLost(lost: readonly LostGroups[]): Promise<void>
}

/**
 * Computes the groups of the project and the buckets of a deletion again, in all files, from the rows that are left.
 * The rows must be hidden from the engine. Groups with rows that were gone before are lost. All other groups stay the
 * same to the byte. Once the promise resolves, no file has the groups that were, also after a power cut. Rejects with
 * the reason of the signal and with the system's errors: the next call goes on.
 */
export async function regroup(catalog: Catalog, deletion: DeletionOfGroups, options: RegroupOptions): Promise<void> {
  const { signal } = options
  const regrouping = { ...options, catalog, deletion, yieldIfDue: createYielder(signal) }
  const isLeft = (state: LiveState) => isTouched(regrouping, state) && !state.without.has(deletion.id)
  // The work of views may replace files at the same time.
  for (let left = allFiles(catalog, isLeft); left.length > 0; left = allFiles(catalog, isLeft)) {
    for (const state of left) {
      const startMs = performance.now()
      await catalog.writing.run(() => regroupFile(regrouping, state))
      await wait((performance.now() - startMs) * PAUSE)
      signal.throwIfAborted()
    }
  }
  await catalog.writing.run(async () => {
    await releaseTouched(regrouping)
    await removeOthers(regrouping)
  })
}

/** The pause after a file, by the time that the file took: a quarter of a core is used. */
const PAUSE = 3

interface Regrouping extends RegroupOptions {
  catalog: Catalog
  deletion: DeletionOfGroups
  yieldIfDue: Yielder
}

/** The files that pass a test, those of the newest day first. */
const allFiles = ({ live }: Catalog, isWanted: (state: LiveState) => boolean): LiveState[] =>
  live
    .all()
    .filter(isWanted)
    .sort((a, b) => b.facts.day - a.facts.day)

const bucketsOf = ({ catalog, deletion }: Regrouping, { facts }: LiveState): TouchedBuckets | undefined =>
  touchedBuckets(deletion, catalog.kept.get(facts.view), facts.day)

const isTouched = (regrouping: Regrouping, state: LiveState) => bucketsOf(regrouping, state) !== undefined

/** Replaces a file by a file with the groups of the rows that are left. */
async function regroupFile(regrouping: Regrouping, state: LiveState): Promise<void> {
  const { catalog, deletion } = regrouping
  const { live, files } = catalog
  const { view, states } = state.facts
  const buckets = bucketsOf(regrouping, state)
  if (buckets === undefined || !live.of(view).includes(state)) return
  try {
    const before = await timesOf(groupsOfFile(files, state, states, buckets))
    if (before === undefined) state.without.add(deletion.id)
    else await replaceGroups(regrouping, state, { buckets, before })
  } catch (error) {
    setAsideDamaged(catalog, [state], error)
    // The next turn does without a damaged segment, which was set aside, and without a damaged file.
    if (!isDamage(error) && live.of(view).includes(state)) throw error
  }
}

/** Starts of buckets, in microseconds since the epoch. */
interface BucketTimes {
  fromUs: number
  throughUs: number
}

/** The first and the last bucket of a stream. Undefined if the stream has no groups. */
async function timesOf(stream: GroupStream): Promise<BucketTimes | undefined> {
  let [fromUs, throughUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for await (const groups of stream)
    for (const { bucketUs } of groups) {
      fromUs = Math.min(fromUs, bucketUs)
      throughUs = Math.max(throughUs, bucketUs)
    }
  return throughUs < fromUs ? undefined : { fromUs, throughUs }
}

/** The buckets that a deletion touches in a file, and the first and last of them that have groups. */
interface Touched {
  buckets: TouchedBuckets
  before: BucketTimes
}

async function replaceGroups(regrouping: Regrouping, state: LiveState, touched: Touched): Promise<void> {
  const { catalog } = regrouping
  const view = catalog.kept.get(state.facts.view)
  const others = leaveOut(groupsOfFile(catalog.files, state, state.facts.states), [touched.buckets])
  if (view === undefined || catalog.engine === undefined) {
    await noteLost(regrouping, state, touched.before)
    return replaceBy(regrouping, state, [others])
  }
  const rows = catalog.engine.groupable(view.sources)
  try {
    const left = { view, rows, parts: partsOf(catalog, state, rows.parts) }
    const { project } = regrouping.deletion
    const { fromUs } = touched.before
    if (await areRowsGone(catalog, state, left, { project, fromUs })) await noteLost(regrouping, state, touched.before)
    const onTooLarge = (us: number) => noteLost(regrouping, state, { fromUs: us, throughUs: us })
    const run = { buckets: touched.buckets, yieldIfDue: regrouping.yieldIfDue, onTooLarge }
    await replaceBy(regrouping, state, [others, groupsLeft(catalog, state, left, run)])
  } finally {
    rows.release()
  }
}

/** Notes buckets for each view and old version of a file. */
async function noteLost(regrouping: Regrouping, { facts }: LiveState, lost: BucketTimes): Promise<void> {
  const views = regrouping.catalog.manifest.views.filter(({ identity }) => identity === facts.view)
  const all = new Map(regrouping.lost.map((one) => [one.view, one]))
  for (const { name: view } of views) {
    const { fromUs, throughUs } = all.get(view) ?? lost
    const [first, last] = [Math.min(fromUs, lost.fromUs), Math.max(throughUs, lost.throughUs)]
    all.set(view, { view, fromUs: first, throughUs: last })
  }
  const longer = [...all.values()]
  if (isDeepStrictEqual(longer, regrouping.lost)) return
  await regrouping.saveLost(longer)
  regrouping.lost = longer
}

function replaceBy({ catalog, deletion, yieldIfDue }: Regrouping, state: LiveState, streams: readonly GroupStream[]) {
  const groups = { [Symbol.asyncIterator]: () => sortedGroups(streams) }
  return replaceFile(catalog, state, { groups, without: new Set([...state.without, deletion.id]) }, yieldIfDue)
}

/** Notes on the disk that segments of the touched days may be gone: a segment may lose all rows. */
async function releaseTouched(regrouping: Regrouping): Promise<void> {
  const { catalog } = regrouping
  for (const state of allFiles(catalog, (one) => !one.isReleased && isTouched(regrouping, one)))
    catalog.toRelease.add(state)
  if (catalog.toRelease.size > 0) await release(catalog)
}

/** Removes all files of the touched days that are not read any more: those that wait for backups, and damaged files. */
async function removeOthers(regrouping: Regrouping): Promise<void> {
  const { catalog, deletion } = regrouping
  const { files, live, kept, readers, removals, retained } = catalog
  const read = new Set(live.all().map(({ path }) => path))
  await removals.settled()
  await readers.drained()
  for (const identity of (await files.list(VIEWS)).filter(isIdentity)) {
    for (const name of await files.list(viewPath(identity))) {
      const path = `${viewPath(identity)}/${name}`
      const place = parseStatePath(path)
      const isOld = place !== undefined && !read.has(path)
      if (isOld && touchedBuckets(deletion, kept.get(identity), place.day) !== undefined) await files.remove(path)
    }
    await files.syncDirectory(viewPath(identity))
  }
  for (const state of retained.keys()) if (isTouched(regrouping, state)) retained.delete(state)
}
