import { isSourceName } from '../../common/own-source-names.js'
import {
  type GroupName,
  pathOf as groupPath,
  readName as parseGroupName,
  DIRECTORY as UNCONFIRMED,
} from '../../engine/clickhouse/delivery/group-journals.js'
import type { Files } from '../../engine/disk/files/files.js'
import {
  type HeadId,
  JOURNALS,
  journalPath,
  parseDayName,
  parseEmptiedPath,
  REMOVED_SUFFIX,
  SEGMENTS,
  segmentPath,
  UNFINISHED_SUFFIX,
} from '../../engine/store/files/file-names.js'
import type { DatedPlace } from './check-segment.js'

/** A file with a name that tells its content. */
export interface NamedEntry<Id> {
  path: string
  id: Id
  /** Whether the service reads the file: the name is written as the service writes names. */
  isCanonical: boolean
}

/** A journal of a head. */
export type JournalEntry = NamedEntry<HeadId>

/** A journal of rows that a ClickHouse server has not confirmed. */
export type GroupEntry = NamedEntry<GroupName>

/** A segment with its number and part in the name. */
export interface SegmentEntry extends DatedPlace {
  /** How often rows were removed from the segment. */
  edition: number
  isCanonical: boolean
}

/** The files of a directory with a name that can be read, and the paths of the others. Both lists are sorted. */
interface Listed<Id> {
  entries: NamedEntry<Id>[]
  others: string[]
}

/** Lists the journals of heads. */
export const listJournals = (files: Files): Promise<Listed<HeadId>> =>
  listNamed(files, JOURNALS, parseJournal, journalPath)

/** Lists the journals of unconfirmed rows. */
export const listGroups = (files: Files): Promise<Listed<GroupName>> =>
  listNamed(files, UNCONFIRMED, parseGroupName, groupPath)

async function listNamed<Id>(
  files: Files,
  directory: string,
  idOf: (name: string) => Id | undefined,
  pathOf: (id: Id) => string,
): Promise<Listed<Id>> {
  const entries: NamedEntry<Id>[] = []
  const others: string[] = []
  for (const name of (await files.list(directory)).sort()) {
    const path = `${directory}/${name}`
    const id = idOf(name)
    if (id === undefined) others.push(path)
    else entries.push({ path, id, isCanonical: pathOf(id) === path })
  }
  return { entries, others }
}

/** The entries below the directory of segments. All lists are sorted by path. */
interface ListedSegments {
  segments: SegmentEntry[]
  /** Paths of segments that were replaced by segments without some rows. */
  former: string[]
  /** Paths of everything else, but not of the files in place of segments without rows. */
  others: string[]
}

/** Lists the segments. */
export async function listSegments(files: Files): Promise<ListedSegments> {
  const listed: ListedSegments = { segments: [], former: [], others: [] }
  const { others } = listed
  for (const source of (await files.list(SEGMENTS)).sort()) {
    const days = await files.list(`${SEGMENTS}/${source}`)
    if (isSegment(days)) others.push(`${SEGMENTS}/${source}`)
    else for (const day of days.sort()) await listDay(files, source, day, listed)
  }
  return listed
}

async function listDay(
  files: Files,
  source: string,
  day: string,
  { segments, former, others }: ListedSegments,
): Promise<void> {
  const directory = `${SEGMENTS}/${source}/${day}`
  const names = await files.list(directory)
  if (isSegment(names)) return void others.push(directory)
  const ofDay: SegmentEntry[] = []
  const newest = new Map<string, number>()
  for (const name of names.sort()) {
    const path = `${directory}/${name}`
    const entry = segmentAt(path, source, day, name)
    const emptied = parseEmptiedPath(path)
    if (emptied !== undefined) newest.set(keyOf(emptied), Number.POSITIVE_INFINITY)
    else if (entry === undefined) others.push(path)
    else {
      ofDay.push(entry)
      newest.set(keyOf(entry), Math.max(entry.edition, newest.get(keyOf(entry)) ?? 0))
    }
  }
  for (const entry of ofDay) {
    if (entry.edition < newest.get(keyOf(entry))!) former.push(entry.path)
    else segments.push(entry)
  }
}

const keyOf = ({ number, part }: { number: number; part: number }) => `${number} ${part}`

/** Whether the names are the names in the directory of a misplaced segment. */
const isSegment = (names: readonly string[]) => names.includes('hot.arrow')

function segmentAt(path: string, source: string, dayName: string, name: string): SegmentEntry | undefined {
  const id = parseSegment(source, name)
  if (id === undefined) return undefined
  const day = parseDayName(dayName)
  const isCanonical = day !== undefined && segmentPath(id, id.part, day, id.edition) === path
  return { ...id, path, day, isCanonical }
}

/** Returns the head of a journal by its name, with any number of digits. Undefined if there is none. */
export function parseJournal(name: string): HeadId | undefined {
  const [, source, number] = /^([a-z0-9_]+)-(\d+)\.log$/.exec(name) ?? []
  return headId(source, number)
}

/** Returns head, part and edition of a segment by its name, with any number of digits. Undefined if there is none. */
export function parseSegment(source: string, name: string): SegmentId | undefined {
  const [, number, part, edition = 0] = /^(\d+)-(\d+)(?:\.(\d+))?$/.exec(name) ?? []
  const id = headId(source, number)
  return id && { ...id, part: Number(part), edition: Number(edition) }
}

/** The numbers in the name of a segment. */
interface SegmentId extends HeadId {
  part: number
  edition: number
}

function headId(source: string | undefined, number: string | undefined): HeadId | undefined {
  if (source === undefined || !isSourceName(source) || number === undefined) return undefined
  return { source, number: Number(number) }
}

/**
 * Whether a name is the name of a damaged file that a start has set aside: the service keeps the file, and reads the
 * rows that were readable from another file. A journal that ends with `.gone` had no readable header.
 */
export const isSetAsideName = (path: string): boolean => /\.damaged$|^journal\/.*\.log\.gone$/.test(path)

/** Whether a name is that of a file or directory that was being written or deleted. */
export const isLeftoverName = (name: string): boolean =>
  name.endsWith(UNFINISHED_SUFFIX) || name.endsWith(REMOVED_SUFFIX)
