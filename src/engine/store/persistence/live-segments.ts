import type { Files } from '../../disk/files/files.js'
import { isDamage } from '../../execute/columns/damage.js'
import { damaged } from '../files/damage.js'
import type { SegmentOnDisk } from '../files/facts.js'
import { dayPath, type SegmentPlace } from '../files/file-names.js'
import { readSegmentFacts } from '../files/segment-file.js'
import type { RecoveryVisitor } from './recovery-visitor.js'

/** A segment with a readable end of the hot file. */
export interface FoundSegment {
  place: SegmentPlace
  facts: SegmentOnDisk
}

/**
 * Reads the facts of segments, in the same order. A segment that cannot be read, or is of another source or day than
 * the path says, is passed to `onUnreadable` instead.
 */
export async function readSegments(
  files: Files,
  places: readonly SegmentPlace[],
  onUnreadable: RecoveryVisitor['unreadable'],
): Promise<FoundSegment[]> {
  const found: FoundSegment[] = []
  for (const place of places) {
    const facts = await readFactsAt(files, place).catch((error) => {
      if (!isDamage(error)) throw error
      onUnreadable(place.path, error)
    })
    if (facts !== undefined) found.push({ place, facts })
  }
  return found
}

/** Rejects with `damaged_segment` also if the segment is not of the source and the day in the path. */
async function readFactsAt(files: Files, { path, source, day }: SegmentPlace): Promise<SegmentOnDisk> {
  const facts = await readSegmentFacts(files, path)
  if (facts.source === source && facts.day === day) return facts
  throw damaged(path, `it is of ${dayPath(facts.source, facts.day)}: move it there`)
}

/**
 * Returns the segments without copies. Copies are segments of the same part of the same journal. The segment in its
 * original place stays.
 */
export function withoutCopies(found: readonly FoundSegment[], onCopy: RecoveryVisitor['copy']): FoundSegment[] {
  const originals = new Map<string, FoundSegment>()
  for (const segment of found) {
    const key = keyOf(segment)
    if (key !== undefined && (!originals.has(key) || isInPlace(segment))) originals.set(key, segment)
  }
  return found.filter((segment) => {
    const key = keyOf(segment)
    const original = key === undefined ? segment : originals.get(key)!
    if (original !== segment) onCopy(segment.place.path, original.place.path)
    return original === segment
  })
}

/** Undefined for a segment of an earlier version: the facts do not include the place. */
const keyOf = ({ facts: { origin } }: FoundSegment) => origin && `${origin.journal} ${origin.part}`

/** Whether a segment is in its original place, as far as that place is known. */
export const isInPlace = ({ place, facts: { origin } }: FoundSegment): boolean =>
  origin === undefined || (origin.head === place.number && origin.part === place.part)
