import type { SourceName } from '../../../common/sources.js'
import { dayPath, type HeadId, journalPath, type SegmentPlace, segmentPath } from '../files/file-names.js'
import type { FoundSegment } from './live-segments.js'

/** The names of all files of rows, also of damaged files, and the segments that could be read. */
export interface KnownFiles {
  journals: readonly HeadId[]
  places: readonly SegmentPlace[]
  /** The places of segments of which no rows are left. */
  emptied: readonly SegmentPlace[]
  segments: readonly FoundSegment[]
}

/**
 * Returns the paths of missing segments, and of the journals of heads without any file. Retention and the disk limit
 * delete the oldest days first, so a missing file of a newer day than the oldest day was deleted by hand. A whole day
 * may be deleted by hand, so a missing day is not noticed. Also not noticed: the loss of the newest or the oldest heads
 * of a source, and of segments of earlier versions.
 */
export function missingFiles(known: KnownFiles): string[] {
  const oldestDay = known.places.reduce((oldest, { day }) => Math.min(oldest, day), NEWEST_DAY)
  return [...missingSegments(known, oldestDay), ...missingHeads(known, oldestDay)]
}

/** A segment names all segments that were written together. */
function missingSegments({ places, emptied, segments }: KnownFiles, oldestDay: number): string[] {
  const paths = new Set([...places, ...emptied].map((place) => segmentPath(place, place.part, place.day)))
  const days = new Set(places.map(({ source, day }) => dayPath(source, day)))
  const missing = new Set<string>()
  for (const { place, facts } of segments) {
    const { origin } = facts
    if (origin?.head !== place.number) continue
    for (const [i, day] of origin.days.entries()) {
      const path = segmentPath(place, origin.firstPart + i, day)
      if (day > oldestDay && days.has(dayPath(place.source, day)) && !paths.has(path)) missing.add(path)
    }
  }
  return [...missing]
}

/** Heads are numbered without gaps. The rows of a missing head are about as new as the rows of the preceding head. */
function missingHeads({ journals, places, emptied }: KnownFiles, oldestDay: number): string[] {
  const newestDays = new Map<SourceName, Map<number, number>>()
  const add = ({ source, number }: HeadId, day: number) => {
    const ofSource = newestDays.get(source) ?? new Map<number, number>()
    newestDays.set(source, ofSource.set(number, Math.max(day, ofSource.get(number) ?? day)))
  }
  for (const id of journals) add(id, Number.POSITIVE_INFINITY)
  for (const place of [...places, ...emptied]) add(place, place.day)
  return [...newestDays].flatMap(([source, heads]) => {
    const numbers = [...heads.keys()].sort((a, b) => a - b)
    return numbers.flatMap((number, i) => {
      const next = numbers[i + 1] ?? number
      if (heads.get(number)! <= oldestDay || next - number > MAX_GAP) return []
      return Array.from({ length: Math.max(0, next - number - 1) }, (_, gap) =>
        journalPath({ source, number: number + gap + 1 }),
      )
    })
  })
}

/** Later than any day. */
const NEWEST_DAY = Number.MAX_SAFE_INTEGER
/** A larger gap is not a gap of missing heads: a file was given a number by hand. */
const MAX_GAP = 1000
