import { DAY_US } from '../../../../base/units.js'
import type { TimeRange } from '../../../../plan/plan.js'
import type { SourceName } from '../../../../sources.js'
import type { Files } from '../../../disk/files/files.js'
import {
  type HeadId,
  JOURNALS,
  journalPath,
  parseDayName,
  parseJournalName,
  parseSegmentName,
  REMOVED_SUFFIX,
  SEGMENTS,
  UNFINISHED_SUFFIX,
} from './file-names.js'

/** The contents of a data directory, by the names in it. */
export interface Inventory {
  /** Sorted by source, then in the order in which the heads were opened. */
  journals: readonly HeadId[]
  /** In the same order, then by part. */
  segments: readonly SegmentPlace[]
  /** Paths that unfinished sealing or deletion left behind. */
  leftovers: readonly string[]
}

/** A segment and its directory. */
export interface SegmentPlace extends HeadId {
  part: number
  path: string
}

/**
 * The rows that are read: ranges of time by source. Journals are read whole, since they may have rows of any time;
 * segments of days outside of the range are left out.
 */
export type RowsToRead = ReadonlyMap<SourceName, TimeRange>

/** Lists a data directory, or the part of it with some rows, without changing it. Ignores unknown names. */
export async function takeInventory(files: Files, toRead?: RowsToRead): Promise<Inventory> {
  const journals = (await files.list(JOURNALS))
    .map(parseJournalName)
    .filter((id) => id !== undefined)
    .filter(({ source }) => toRead?.has(source) ?? true)
  const unfinished = new Set(journals.map(journalPath))
  const segments: SegmentPlace[] = []
  const leftovers: string[] = []
  for await (const { source, name, path } of segmentNames(files, toRead)) {
    const id = parseSegmentName(source, name)
    if (name.endsWith(UNFINISHED_SUFFIX) || name.endsWith(REMOVED_SUFFIX)) leftovers.push(path)
    else if (id !== undefined && unfinished.has(journalPath(id))) leftovers.push(path)
    else if (id !== undefined) segments.push({ ...id, path })
  }
  return { journals: journals.sort(inOrder), segments: segments.sort(inOrder), leftovers }
}

async function* segmentNames(
  files: Files,
  toRead: RowsToRead | undefined,
): AsyncIterable<{ source: string; name: string; path: string }> {
  for (const source of await files.list(SEGMENTS)) {
    for (const day of await files.list(`${SEGMENTS}/${source}`)) {
      if (toRead !== undefined && !hasRowsOf(toRead, source, day)) continue
      const directory = `${SEGMENTS}/${source}/${day}`
      for (const name of await files.list(directory)) yield { source, name, path: `${directory}/${name}` }
    }
  }
}

function hasRowsOf(toRead: RowsToRead, source: string, dayName: string): boolean {
  const range = toRead.get(source as SourceName)
  const day = parseDayName(dayName)
  if (range === undefined || day === undefined) return range !== undefined
  return range.throughUs >= day * DAY_US && range.fromUs < (day + 1) * DAY_US
}

function inOrder(a: HeadId & { part?: number }, b: HeadId & { part?: number }): number {
  // Not with localeCompare: its first call loads language rules, which would take 15 ms of each start.
  if (a.source !== b.source) return a.source < b.source ? -1 : 1
  return a.number - b.number || (a.part ?? 0) - (b.part ?? 0)
}
