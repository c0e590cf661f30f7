import { DAY_US } from '../../../base/units.js'
import { isSourceName } from '../../../common/own-source-names.js'
import { registerSource, type SourceName } from '../../../common/sources.js'
import type { TimeRange } from '../../../plan/plan.js'
import type { Files } from '../../disk/files/files.js'
import {
  DAMAGED_SUFFIX,
  dayPath,
  emptiedPath,
  type HeadId,
  JOURNALS,
  journalPath,
  parseDayName,
  parseEmptiedPath,
  parseJournalName,
  parseSegmentPath,
  REMOVED_SUFFIX,
  SEGMENTS,
  type SegmentPlace,
  UNFINISHED_SUFFIX,
} from './file-names.js'

/** The contents of a data directory, by the names in the directory. */
export interface Inventory {
  /** Sorted by source, then in the order in which the heads were opened. */
  journals: readonly HeadId[]
  /** In the same order, then by part. */
  segments: readonly SegmentPlace[]
  /** Segments of heads that have a journal, in the same order: leftovers of an unfinished seal. */
  unfinished: readonly SegmentPlace[]
  /** Segments of which no rows are left, and that may be asked for since the others of their head name them. */
  emptied: readonly SegmentPlace[]
  /** Leftovers of unfinished sealing, compaction or deletion, former editions, and empty directories of days. */
  leftovers: readonly string[]
  /** Paths of damaged files that earlier starts have set aside. */
  setAside: readonly string[]
  /** Paths that are unknown to this version of logweir. */
  unknown: readonly string[]
}

/**
 * The rows that are read: ranges of time by source. Journals are read whole, since a journal may have rows of any time.
 * Segments of days outside of the range are left out.
 */
export type RowsToRead = ReadonlyMap<SourceName, TimeRange>

/** Lists a data directory, or the part with some rows. Changes nothing. */
export async function takeInventory(files: Files, toRead?: RowsToRead): Promise<Inventory> {
  const lists = {
    segments: [] as SegmentPlace[],
    emptied: [] as SegmentPlace[],
    leftovers: [] as string[],
    setAside: [] as string[],
    unknown: [] as string[],
  }
  const journals = (await journalsIn(files, lists)).filter(({ source }) => toRead?.has(source) ?? true)
  for await (const path of segmentPaths(files, toRead, lists)) {
    const place = parseSegmentPath(path)
    const emptied = parseEmptiedPath(path)
    if (place !== undefined) lists.segments.push(place)
    else if (emptied !== undefined) lists.emptied.push(emptied)
    else listOther(path, lists)
  }
  keepNewestEditions(lists)
  const live = new Set(journals.map(journalPath))
  for (const { source } of [...journals, ...lists.segments]) registerSource(source)
  const inOrderOfHeads = lists.segments.sort(inOrder)
  return {
    ...lists,
    journals: journals.sort(inOrder),
    segments: inOrderOfHeads.filter((id) => !live.has(journalPath(id))),
    unfinished: inOrderOfHeads.filter((id) => live.has(journalPath(id))),
  }
}

/** Moves former editions of segments, which were being deleted, to the leftovers. */
function keepNewestEditions(lists: { segments: SegmentPlace[]; emptied: SegmentPlace[]; leftovers: string[] }): void {
  const newest = new Map<string, number>()
  for (const place of lists.segments) {
    newest.set(emptiedPath(place), Math.max(place.edition, newest.get(emptiedPath(place)) ?? 0))
  }
  for (const place of lists.emptied) newest.set(emptiedPath(place), Number.POSITIVE_INFINITY)
  const isLive = (place: SegmentPlace) => place.edition === newest.get(emptiedPath(place))
  lists.leftovers.push(...lists.segments.filter((place) => !isLive(place)).map(({ path }) => path))
  lists.segments = lists.segments.filter(isLive)
}

type Lists = Pick<{ -readonly [Name in keyof Inventory]: string[] }, 'leftovers' | 'setAside' | 'unknown'>

function listOther(path: string, { leftovers, setAside, unknown }: Lists): void {
  // An earlier version gave this name to a journal with a damaged header. The frames may be undamaged.
  const isJournal = path.startsWith(`${JOURNALS}/`) && path.endsWith(`.log${REMOVED_SUFFIX}`)
  if (isJournal) setAside.push(path)
  else if (path.endsWith(UNFINISHED_SUFFIX) || path.endsWith(REMOVED_SUFFIX)) leftovers.push(path)
  else if (path.endsWith(DAMAGED_SUFFIX)) setAside.push(path)
  else unknown.push(path)
}

async function journalsIn(files: Files, lists: Lists): Promise<HeadId[]> {
  return (await files.list(JOURNALS)).flatMap((name) => {
    const id = parseJournalName(name)
    if (id === undefined) listOther(`${JOURNALS}/${name}`, lists)
    return id ?? []
  })
}

/** Yields the paths of everything in directories of days. */
async function* segmentPaths(
  files: Files,
  toRead: RowsToRead | undefined,
  { leftovers, unknown }: Lists,
): AsyncIterable<string> {
  for (const source of await files.list(SEGMENTS)) {
    if (!isSourceName(source)) {
      unknown.push(`${SEGMENTS}/${source}`)
      continue
    }
    for (const dayName of await files.list(`${SEGMENTS}/${source}`)) {
      const path = `${SEGMENTS}/${source}/${dayName}`
      const day = parseDayName(dayName)
      if (day === undefined || dayPath(source, day) !== path) unknown.push(path)
      else if (toRead === undefined || hasRowsOf(toRead, source, day)) {
        const names = await files.list(path)
        if (names.length === 0 && (await files.bytesBelow(path)) === 0) leftovers.push(path)
        for (const name of names) yield `${path}/${name}`
      }
    }
  }
}

function hasRowsOf(toRead: RowsToRead, source: SourceName, day: number): boolean {
  const range = toRead.get(source)
  return range !== undefined && range.throughUs >= day * DAY_US && range.fromUs < (day + 1) * DAY_US
}

function inOrder(a: HeadId & { part?: number }, b: HeadId & { part?: number }): number {
  // Not with localeCompare: the first call loads language rules, which would take 15 ms of each start.
  if (a.source !== b.source) return a.source < b.source ? -1 : 1
  return a.number - b.number || (a.part ?? 0) - (b.part ?? 0)
}
