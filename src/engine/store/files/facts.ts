import type { Schema } from 'apache-arrow'
import type { SourceName } from '../../../common/sources.js'
import { damaged, newerFormat } from './damage.js'

/**
 * The format version of segment files. Files of a later version are rejected, files of earlier versions are read.
 * Version 1 had a single checksum for all columns.
 */
export const SEGMENT_FORMAT_VERSION = 2

/** The facts of a segment that are known without a load: JSON in the custom metadata of the hot file's schema. */
export interface SegmentFacts {
  version: number
  source: SourceName
  /** The UTC day of all rows, in days since the epoch. */
  day: number
  rows: number
  /** The first and the last timestamp. */
  minUs: number
  maxUs: number
  /** The form of times in memory: offsets in this unit, of 4 or 8 bytes. */
  timeUnitUs: number
  timeBytes: number
  /**
   * Bytes of the cold file, and the CRC-32 of its end, which identifies the file among the cold files of all segments.
   */
  coldFileBytes: number
  coldCheck: number
  /**
   * The bits that any row has in `in_metadata`. The file has that column if any bit is set. Absent in earlier versions.
   */
  inMetadata?: number
  /** Whether the cold file was sealed with high effort. If absent, compaction may have replaced the cold file. */
  coldIsSmall?: boolean
  /** Absent in files of earlier versions. */
  origin?: SegmentOrigin
}

/** The place at which a segment was written, and the segments written together. Shows copies and gaps. */
export interface SegmentOrigin {
  head: number
  part: number
  /** The marker of the head's journal, in hexadecimal. No other journal has the same marker. */
  journal: string
  /** The days of the segments that were written together, from the part `firstPart` on. */
  firstPart: number
  days: readonly number[]
}

/** The facts, and the size of the files. */
export interface SegmentOnDisk extends SegmentFacts {
  /** Bytes of all files. */
  fileBytes: number
  /** Bytes of the file of path columns, 0 if there is none. */
  pathFileBytes: number
}

/**
 * Returns bytes that no other segment has: the journal and part of the rows. Segments of earlier versions do not say of
 * which journal their rows are.
 */
export const checkOf = (path: string, { origin, rows, minUs, maxUs }: SegmentFacts): string =>
  origin === undefined ? `${path} ${rows} ${minUs} ${maxUs}` : `${origin.journal} ${origin.part}`

/** Returns the marker of the journal in a check, in hexadecimal. */
export const journalOfCheck = (check: string): string => check.slice(0, check.indexOf(' '))

const KEY = 'logweir.segment'

/** Returns the custom metadata of the hot file's schema. */
export const factsToMetadata = (facts: SegmentFacts) => new Map([[KEY, JSON.stringify(facts)]])

/** Returns the facts in the schema of the hot file at `path`. Throws `damaged_segment` or `newer_format`. */
export function factsOf(schema: Schema, path: string): SegmentFacts {
  const text = schema.metadata.get(KEY)
  if (text === undefined) throw damaged(path, 'it does not say what segment it holds')
  const facts = JSON.parse(text) as SegmentFacts
  if (facts.version > SEGMENT_FORMAT_VERSION) throw newerFormat(path, facts.version, SEGMENT_FORMAT_VERSION)
  return facts
}
