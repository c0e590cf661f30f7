import type { Files } from '../../../disk/files/files.js'
import { damaged, isDamage } from '../files/damage.js'
import type { SegmentOnDisk } from '../files/facts.js'
import { dayPath, type SegmentPlace } from '../files/file-names.js'
import { readSegmentFacts } from '../files/segment-file.js'
import type { RecoveryVisitor } from './recovery-visitor.js'

/** A segment of which the end of the hot file could be read. */
export interface FoundSegment {
  place: SegmentPlace
  facts: SegmentOnDisk
}

/**
 * Reads the facts of segments, and returns those that are live, in the same order. A segment that cannot be read, that
 * is of another source or day than its path says, or is a copy of another one is passed to the visitor instead.
 */
export async function findLiveSegments(
  files: Files,
  places: readonly SegmentPlace[],
  visitor: Pick<RecoveryVisitor, 'unreadable' | 'copy'>,
): Promise<FoundSegment[]> {
  const found: FoundSegment[] = []
  for (const place of places) {
    const facts = await readFactsAt(files, place).catch((error) => {
      if (!isDamage(error)) throw error
      visitor.unreadable(place.path, error)
    })
    if (facts !== undefined) found.push({ place, facts })
  }
  return withoutCopies(found, visitor)
}

/** Rejects with `damaged_segment` also if the segment is not of the source and the day in its path. */
async function readFactsAt(files: Files, { path, source, day }: SegmentPlace): Promise<SegmentOnDisk> {
  const facts = await readSegmentFacts(files, path)
  if (facts.source === source && facts.day === day) return facts
  throw damaged(path, `it is of ${dayPath(facts.source, facts.day)}: move it there`)
}

/** Segments of the same part of the same journal are copies. The one at the place where it was written is live. */
function withoutCopies(found: readonly FoundSegment[], visitor: Pick<RecoveryVisitor, 'copy'>): FoundSegment[] {
  const originals = new Map<string, FoundSegment>()
  for (const segment of found) {
    const key = keyOf(segment)
    const known = key === undefined ? undefined : originals.get(key)
    if (key !== undefined && (known === undefined || isInPlace(segment))) originals.set(key, segment)
  }
  return found.filter((segment) => {
    const key = keyOf(segment)
    const original = key === undefined ? segment : originals.get(key)!
    if (original !== segment) visitor.copy(segment.place.path, original.place.path)
    return original === segment
  })
}

/** Undefined for a segment of an earlier version, which does not say where it was written. */
const keyOf = ({ facts: { origin } }: FoundSegment) => origin && `${origin.journal} ${origin.part}`

const isInPlace = ({ place, facts: { origin } }: FoundSegment) =>
  origin?.head === place.number && origin.part === place.part
