import type { Schema } from 'apache-arrow'
import type { SourceName } from '../../../../sources.js'
import { damaged, newerFormat } from './damage.js'

/** Files of a later format are left alone; those of an earlier one are read. */
export const SEGMENT_FORMAT_VERSION = 1

/** What is known of a segment on disk without loading it: JSON in the custom metadata of the hot file's schema. */
export interface SegmentFacts {
  version: number
  source: SourceName
  /** The UTC day of all its rows, in days since the epoch. */
  day: number
  rows: number
  /** Least and greatest timestamp. */
  minUs: number
  maxUs: number
  /** How times are kept in memory: offsets in this unit, of 4 or 8 bytes. */
  timeUnitUs: number
  timeBytes: number
  /** Of the cold file: its bytes, and the CRC-32 of its end, which tells it from any other segment's. */
  coldFileBytes: number
  coldCheck: number
  /** Whether it was made with high effort from the start; absent, it may have a smaller one in its place. */
  coldIsSmall?: boolean
}

/** The same, and what only its files know. */
export interface SegmentOnDisk extends SegmentFacts {
  /** Bytes of both files. */
  fileBytes: number
}

const KEY = 'logweir.segment'

export const factsToMetadata = (facts: SegmentFacts) => new Map([[KEY, JSON.stringify(facts)]])

/** The facts in the schema of the hot file at `path`. */
export function factsOf(schema: Schema, path: string): SegmentFacts {
  const text = schema.metadata.get(KEY)
  if (text === undefined) throw damaged(path, 'it does not say what segment it holds')
  const facts = JSON.parse(text) as SegmentFacts
  if (facts.version > SEGMENT_FORMAT_VERSION) throw newerFormat(path, facts.version, SEGMENT_FORMAT_VERSION)
  return facts
}
