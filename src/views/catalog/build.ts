import { createYielder, type Yielder } from '../../base/scheduling/time-slices.js'
import { dayOf } from '../../base/time/moment.js'
import { MIB } from '../../base/units.js'
import type { SourceName } from '../../common/sources.js'
import type { Part, StoredPart } from '../../engine/execute/columns/batch.js'
import type { GroupStream } from '../state/group.js'
import { streamsByDay } from '../state/memory-groups.js'
import { mergeGroups } from '../state/merge.js'
import { mergingOf } from '../state/merged-states.js'
import { groupsOfFile, openStateFile } from '../state/read-file.js'
import { writeStateFile } from '../state/write-file.js'
import { boundsOfFile } from './bounds.js'
import {
  type Catalog,
  type GroupableEngine,
  removeFiles,
  removeReplaced,
  saveManifest,
  setAsideDamaged,
} from './catalog.js'
import { statePath, VIEWS, viewPath } from './file-names.js'
import { getsAnyRows, getsRows, isExpired, type KeptView } from './kept-view.js'
import type { LiveState } from './live-states.js'
import { staleBuckets, touchingDeletions } from './touched-buckets.js'

/** Numbers that are taken by one write of the manifest. */
const NUMBERS_AT_ONCE = 1000
/** Memory of the groups of a build. */
export const BUILD_BYTES = 64 * MIB

type StoredRows = Part & { stored: StoredPart; source: SourceName }

/** Segments of a day that no file of a view has. */
interface Gap {
  view: KeptView
  day: number
  parts: StoredRows[]
}

/** How a build goes on. */
export interface BuildOptions {
  /** The most segments of a file, unless the file replaces others. */
  segments: number
  signal: AbortSignal
}

/**
 * Groups the segments of a day that are in no file of a view yet: segments that are to be dropped first, then those of
 * the newest day. Returns false if every segment is in the files of each view. Rejects with the errors of grouping, of
 * damaged files and of the disk: nothing has changed then.
 */
export async function buildNext(catalog: Catalog, options: BuildOptions): Promise<boolean> {
  const { engine, kept } = catalog
  const updated = [...kept.values()].filter(getsAnyRows)
  if (engine === undefined || updated.length === 0) return false
  const rows = engine.groupable([...new Set(updated.flatMap(({ sources }) => sources))])
  try {
    const gap = nextGap(catalog, updated, rows.parts)
    if (gap === undefined) updated.forEach(noteBuilt)
    if (gap !== undefined) await build(catalog, { ...gap, parts: gap.parts.slice(0, options.segments) }, rows, options)
    return gap !== undefined
  } finally {
    rows.release()
  }
}

function noteBuilt(view: KeptView): void {
  view.isBuilt = true
  view.rest.clear()
}

function nextGap(catalog: Catalog, views: readonly KeptView[], parts: readonly Part[]): Gap | undefined {
  const { live, wanted, clock } = catalog
  const nowUs = clock.nowUs()
  let next: (Gap & { isWanted: boolean }) | undefined
  // There may be thousands of parts, and a hundred views.
  for (const part of parts) {
    const { stored, source } = part as StoredRows
    if (stored === undefined || part.isSetAside) continue
    const place = { day: dayOf(part.minUs), isWanted: wanted.has(stored.check) }
    for (const view of views) {
      if (!getsRows(view, stored) || !view.sources.includes(source)) continue
      if (live.fileOf(view.identity, stored.check) !== undefined) continue
      if (next?.view === view && next.day === place.day && next.isWanted === place.isWanted)
        next.parts.push(part as StoredRows)
      else if ((next === undefined || isBefore(place, next)) && !isExpired(view, place.day, nowUs))
        next = { view, ...place, parts: [part as StoredRows] }
    }
  }
  return next
}

const isBefore = (a: { day: number; isWanted: boolean }, b: { day: number; isWanted: boolean }): boolean =>
  a.isWanted === b.isWanted ? a.day > b.day : a.isWanted

async function build(
  catalog: Catalog,
  { view, day, parts }: Gap,
  rows: ReturnType<GroupableEngine['groupable']>,
  { signal }: BuildOptions,
): Promise<void> {
  const yieldIfDue = createYielder(signal)
  const wanted = new Set<Part>(parts)
  const run = { memory: { add() {} }, limitBytes: BUILD_BYTES, yieldIfDue, isCached: false }
  // The rows of these deletions are hidden in the snapshot.
  const without = touchingDeletions(catalog, view.identity, day).map(({ id }) => id)
  const { groups, aggregation } = await rows.group(view.grouping, (part) => wanted.has(part), run)
  const byDay = await streamsByDay(groups, view.restKeys, mergingOf(aggregation, yieldIfDue))
  if ([...byDay.keys()].some((other) => other !== day)) throw new TypeError('A segment has rows of a single day.')
  const segments = parts.map(({ stored }) => stored)
  await writeDay(catalog, view, day, { segments, groups: byDay.get(day) ?? NO_GROUPS, without }, yieldIfDue)
}

const NO_GROUPS: GroupStream = { async *[Symbol.asyncIterator]() {} }

/**
 * Writes a file with the groups of segments. If the day has many files, the file takes the place of all of them, unless
 * some have groups of deleted rows: those are written again first.
 */
async function writeDay(
  catalog: Catalog,
  view: KeptView,
  day: number,
  added: { segments: readonly StoredPart[]; groups: GroupStream; without: readonly string[] },
  yieldIfDue: Yielder,
): Promise<void> {
  const { live, files } = catalog
  const before = live.of(view.identity).filter(({ facts }) => facts.day === day)
  const isStale = (state: LiveState) => staleBuckets(catalog, state).length > 0
  const replaced = before.length < catalog.dayFiles || before.some(isStale) ? [] : before
  const isReleased = replaced.some((one) => one.isReleased || catalog.toRelease.has(one))
  const number = await takeNumber(catalog, isReleased)
  const path = statePath({ identity: view.identity, day, number })
  const streams = [...replaced.map((state) => groupsOfFile(files, state, view.states)), added.groups]
  const segments = [...replaced.flatMap(({ facts }) => facts.segments), ...added.segments]
  const without = added.without.filter((id) => replaced.every((one) => one.without.has(id)))
  const facts = { view: view.identity, day, segments, states: view.states, without }
  const merged = mergeGroups(streams, boundsOfFile(catalog, view, replaced), mergingOf(view.aggregation, yieldIfDue))
  await files.makeDirectory(viewPath(view.identity))
  await files.syncDirectory(VIEWS)
  try {
    await writeStateFile(files, path, facts, merged, yieldIfDue)
  } catch (error) {
    setAsideDamaged(catalog, replaced, error)
    throw error
  }
  live.add(await openLive(catalog, path, { number, isReleased }), replaced)
  for (const { check } of added.segments) catalog.wanted.delete(check)
  removeReplaced(catalog, replaced)
}

/**
 * Writes a file with other groups of the same segments in place of a file. `without` are the deletions with rows that
 * no group has: those that are finished are left out.
 */
export async function replaceFile(
  catalog: Catalog,
  state: LiveState,
  { groups, without }: { groups: GroupStream; without: ReadonlySet<string> },
  yieldIfDue: Yielder,
): Promise<void> {
  const { files, live, deletions, toRelease } = catalog
  const { view, day, segments, states } = state.facts
  const isReleased = state.isReleased || toRelease.has(state)
  const number = await takeNumber(catalog, isReleased)
  const path = statePath({ identity: view, day, number })
  const open = deletions.map(({ id }) => id).filter((id) => without.has(id))
  await writeStateFile(files, path, { view, day, segments, states, without: open }, groups, yieldIfDue)
  live.add(await openLive(catalog, path, { number, isReleased }), [state])
  removeFiles(catalog, [state])
}

/** Opens a file that was written. */
const openLive = async (
  { files, clock }: Catalog,
  path: string,
  place: Pick<LiveState, 'number' | 'isReleased'>,
): Promise<LiveState> => {
  const file = await openStateFile(files, path)
  return { ...file, ...place, releasedMs: clock.monotonicMs(), without: new Set(file.facts.without) }
}

/** Takes a number that no file has had. If a released file is replaced, the manifest first says that the new is too. */
async function takeNumber(catalog: Catalog, isReleased: boolean): Promise<number> {
  const { manifest } = catalog
  const number = catalog.nextNumber++
  const isTaken = number < manifest.numberLimit
  if (isTaken && !isReleased) return number
  await saveManifest(catalog, {
    numberLimit: isTaken ? manifest.numberLimit : number + NUMBERS_AT_ONCE,
    released: [...manifest.released, ...(isReleased ? [number] : [])],
  })
  return number
}
