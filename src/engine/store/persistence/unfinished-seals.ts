import type { Files } from '../../disk/files/files.js'
import { type Damage, recoverJournal } from '../../disk/journal/recover.js'
import { journalPath, type SegmentPlace } from '../files/file-names.js'
import { type FoundJournal, markerOf } from './live-journals.js'
import { type FoundSegment, isInPlace } from './live-segments.js'
import type { RecoveryVisitor } from './recovery-visitor.js'

/** The segments of heads that have a journal. */
export interface UnfinishedSegments {
  places: readonly SegmentPlace[]
  /** The segments that are readable and are not copies. */
  found: readonly FoundSegment[]
  /** The errors of the unreadable segments, by path. */
  unreadable: ReadonlyMap<string, Error>
}

/** The decisions about heads that have both a journal and segments, since their seal was not completed. */
export interface UnfinishedSeals {
  /** Paths of segments and journals that are deleted: other files have all of their rows. */
  leftovers: string[]
  /** Paths of segments and journals that are kept under another name. */
  replaced: string[]
  /** The segments that are live. */
  segments: FoundSegment[]
  /** The journals that are not live. */
  sealed: Set<FoundJournal>
}

/**
 * Decides between the journal and the segments of each head that has both. Usually the journal has all rows, and more
 * rows than the segments. If the journal is damaged, the side with more rows is live. The other side is kept, unless
 * all rows of the other side are in the live side: if a journal is damaged only at the end, both sides have the first
 * rows of the head.
 */
export async function resolveUnfinished(
  files: Files,
  journals: readonly FoundJournal[],
  unfinished: UnfinishedSegments,
  visitor: Pick<RecoveryVisitor, 'damage' | 'unreadable'>,
): Promise<UnfinishedSeals> {
  const seals: UnfinishedSeals = { leftovers: [], replaced: [], segments: [], sealed: new Set() }
  for (const journal of journals) {
    const isOwn = (place: SegmentPlace) => journalPath(place) === journal.path
    const places = unfinished.places.filter(isOwn)
    if (places.length === 0) continue
    const own = { ...unfinished, places, found: unfinished.found.filter(({ place }) => isOwn(place)) }
    await resolveOne(files, journal, own, seals, visitor)
  }
  return seals
}

async function resolveOne(
  files: Files,
  journal: FoundJournal,
  { found, unreadable, places }: UnfinishedSegments,
  seals: UnfinishedSeals,
  visitor: Pick<RecoveryVisitor, 'damage' | 'unreadable'>,
): Promise<void> {
  const inPlace = found.filter(isInPlace)
  const others = [...found.filter((segment) => !isInPlace(segment)).map(({ place }) => place.path)]
  for (const { path } of places) if (unreadable.has(path)) others.push(path)
  const isForeign = isOfAnotherHead(journal, inPlace)
  const { damaged, rows, damages } = await survey(files, journal)
  const discarded = damaged === 'inside' ? seals.replaced : seals.leftovers
  if (!isForeign && rows >= rowsOf(inPlace)) {
    discarded.push(...inPlace.map(({ place }) => place.path))
    seals.replaced.push(...others)
    return
  }
  const unreadableForeign = 'its name is that of a sealed head: rename it to a number that no file has'
  if (isForeign) visitor.damage({ ...wholeOf(journal), unreadable: unreadableForeign })
  else discarded.push(journal.path)
  for (const damage of isForeign ? [] : damages) visitor.damage(damage)
  for (const path of others) visitor.unreadable(path, unreadable.get(path) ?? new Error('it is of another head.'))
  seals.segments.push(...inPlace)
  seals.sealed.add(journal)
}

const rowsOf = (segments: readonly FoundSegment[]) => segments.reduce((sum, { facts }) => sum + facts.rows, 0)

const wholeOf = ({ path, bytes }: FoundJournal): Damage => ({ path, offset: 0, bytes })

/** Whether the segments were made of another journal: a file was copied to the name of the journal. */
function isOfAnotherHead({ header }: FoundJournal, segments: readonly FoundSegment[]): boolean {
  if (header === undefined) return false
  return segments.some(({ facts: { origin } }) => origin !== undefined && origin.journal !== markerOf(header))
}

async function survey(files: Files, { path, id }: FoundJournal) {
  const damages: Damage[] = []
  const visitor = { batch() {}, damage: (stretch: Damage) => void damages.push(stretch) }
  return { ...(await recoverJournal(files, path, id.source, visitor)), damages }
}
