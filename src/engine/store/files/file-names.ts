import { DAY_US, MILLISECOND_US } from '../../../base/units.js'
import { isSourceName } from '../../../common/own-source-names.js'
import type { SourceName } from '../../../common/sources.js'

/**
 * The directory of journals. The names in a data directory decide which files are live:
 *
 *   journal/<source>-<head>.log            the rows of an open head, as received
 *   segments/<source>/<day>/<head>-<part>  the rows of a sealed head, a directory for each day
 *   …/<head>-<part>.<edition>              the rows that are left after some were removed
 *   …/<head>-<part>.emptied                an empty file in place of a segment of which no rows are left
 *
 * Of several editions of a segment the highest is live. The others were being deleted.
 *
 * The journal of a head is live as long as the journal exists, the segments of the head from then on: if both exist,
 * the segments are unfinished. Sealing thus takes effect at a single moment, the deletion of the journal.
 */
export const JOURNALS = 'journal'
/** The directory of segments, see {@link JOURNALS}. */
export const SEGMENTS = 'segments'

/** Identifies a head. Heads of a source are numbered from 1, in the order of opening. */
export interface HeadId {
  source: SourceName
  number: number
}

/** Suffix of a file or directory that is being written. */
export const UNFINISHED_SUFFIX = '.unfinished'
/** Suffix of a file or directory that is being deleted. */
export const REMOVED_SUFFIX = '.gone'
/** Suffix of the file that takes the place of a segment without rows. */
const EMPTIED_SUFFIX = '.emptied'
/** Suffix of a damaged file or directory. The readable rows are in another file. Never deleted. */
export const DAMAGED_SUFFIX = '.damaged'

const DIGITS = 8
const padded = (number: number) => String(number).padStart(DIGITS, '0')

/** Returns the path of a head's journal. */
export function journalPath({ source, number }: HeadId): string {
  return `${JOURNALS}/${source}-${padded(number)}.log`
}

/** Returns the head of a journal by the name of the file. Undefined if the name is not the name of a journal. */
export function parseJournalName(name: string): HeadId | undefined {
  const [, source, number] = /^([a-z0-9_]+)-(\d+)\.log$/.exec(name) ?? []
  const id = headId(source, number)
  return id && journalPath(id) === `${JOURNALS}/${name}` ? id : undefined
}

/** Returns the directory of all segments of a source and a UTC day, in days since the epoch. */
export function dayPath(source: SourceName, day: number): string {
  return `${SEGMENTS}/${source}/${dayName(day)}`
}

/** Whether a path has the form of {@link dayPath}. */
export const isDayPath = (path: string): boolean =>
  path.startsWith(`${SEGMENTS}/`) && path.split('/').length === 3 && parseDayName(path.split('/')[2]) !== undefined

/** Returns the date in ISO 8601, in the long form for years above 9999 or below 0: `+012345-01-01`. */
export function dayName(day: number): string {
  return new Date((day * DAY_US) / MILLISECOND_US).toISOString().replace(/T.*$/, '')
}

/** Returns the UTC day of a name in {@link dayPath}, in days since the epoch. Undefined if the name is not a date. */
export function parseDayName(name: string): number | undefined {
  const milliseconds = /^[+-]?\d+-\d\d-\d\d$/.test(name) ? Date.parse(name) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : (milliseconds * MILLISECOND_US) / DAY_US
}

/** Returns the directory of a segment of a head. */
export function segmentPath({ source, number }: HeadId, part: number, day: number, edition = 0): string {
  return `${dayPath(source, day)}/${padded(number)}-${part}${edition === 0 ? '' : `.${edition}`}`
}

/** A segment as described by the path. */
export interface SegmentPlace extends HeadId {
  part: number
  /** The UTC day, in days since the epoch. */
  day: number
  /** How often rows were removed from the segment. */
  edition: number
  path: string
}

/** Returns the path of the file in place of a segment of which no rows are left. */
export const emptiedPath = ({ part, day, ...id }: SegmentPlace): string => segmentPath(id, part, day) + EMPTIED_SUFFIX

/** Returns the place of a segment of which no rows are left, by the path of {@link emptiedPath}. */
export const parseEmptiedPath = (path: string): SegmentPlace | undefined =>
  path.endsWith(EMPTIED_SUFFIX) ? parseSegmentPath(path.slice(0, -EMPTIED_SUFFIX.length)) : undefined

/** Returns the segment with this directory. Undefined if the path is not the path of a segment. */
export function parseSegmentPath(path: string): SegmentPlace | undefined {
  const [, source, dayName, name] = path.split('/')
  const [, number, part, edition = 0] = /^(\d+)-(\d+)(?:\.(\d+))?$/.exec(name ?? '') ?? []
  const id = headId(source, number)
  const day = parseDayName(dayName ?? '')
  if (id === undefined || day === undefined) return undefined
  const place = { ...id, part: Number(part), day, edition: Number(edition), path }
  return segmentPath(id, place.part, day, place.edition) === path ? place : undefined
}

function headId(source: string | undefined, number: string | undefined): HeadId | undefined {
  if (source === undefined || !isSourceName(source) || number === undefined) return undefined
  return { source, number: Number(number) }
}
