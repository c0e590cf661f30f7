import { DAY_US, MILLISECOND_US } from '../../../../base/units.js'
import { SOURCE_NAMES, type SourceName } from '../../../../sources.js'

/**
 * What lies where in a data directory; the names alone say what is live:
 *
 *   journal/<source>-<head>.log            the rows of an open head, as they came
 *   segments/<source>/<day>/<head>-<part>  the rows of a head that is sealed, one directory for each of its days
 *
 * A head has its rows in its journal as long as that is there, and in its segments from then on: segments of a head whose
 * journal is there were not finished. So the removal of the journal is the one moment at which a seal takes effect.
 */
export const JOURNALS = 'journal'
export const SEGMENTS = 'segments'

/** Heads of a source are numbered in their order, from 1. */
export interface HeadId {
  source: SourceName
  number: number
}

/** Ends the name of a segment's directory that is being written, or removed. */
export const UNFINISHED_SUFFIX = '.unfinished'
export const REMOVED_SUFFIX = '.gone'

const DIGITS = 8
const padded = (number: number) => String(number).padStart(DIGITS, '0')

export function journalPath({ source, number }: HeadId): string {
  return `${JOURNALS}/${source}-${padded(number)}.log`
}

/** The head whose journal a file is; undefined where it is none. */
export function parseJournalName(name: string): HeadId | undefined {
  const [, source, number] = /^([a-z_]+)-(\d+)\.log$/.exec(name) ?? []
  return headId(source, number)
}

/** The directory of all segments of a source and a UTC day, which is counted from the epoch. */
export function dayPath(source: SourceName, day: number): string {
  return `${SEGMENTS}/${source}/${dateOf(day)}`
}

/** ISO 8601, as years beyond 9999 and before 0 are written there: `+012345-01-01`. */
function dateOf(day: number): string {
  return new Date((day * DAY_US) / MILLISECOND_US).toISOString().replace(/T.*$/, '')
}

export function segmentPath({ source, number }: HeadId, part: number, day: number): string {
  return `${dayPath(source, day)}/${padded(number)}-${part}`
}

/** The head whose segment a directory is, and which of them; undefined where it is none. */
export function parseSegmentName(source: string, name: string): (HeadId & { part: number }) | undefined {
  const [, number, part] = /^(\d+)-(\d+)$/.exec(name) ?? []
  const id = headId(source, number)
  return id === undefined ? undefined : { ...id, part: Number(part) }
}

function headId(source: string | undefined, number: string | undefined): HeadId | undefined {
  const known = SOURCE_NAMES.find((name) => name === source)
  return known === undefined || number === undefined ? undefined : { source: known, number: Number(number) }
}
