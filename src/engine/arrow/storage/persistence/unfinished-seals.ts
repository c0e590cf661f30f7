import type { Files } from '../../../disk/files/files.js'
import { type Damage, recoverJournal } from '../../../disk/journal/recover.js'
import { journalPath, type SegmentPlace } from '../files/file-names.js'
import { type FoundJournal, markerOf } from './live-journals.js'
import { type FoundSegment, findLiveSegments } from './live-segments.js'
import type { RecoveryVisitor } from './recovery-visitor.js'

/** How the heads are continued that have both a journal and segments, since their seal was not completed. */
export interface UnfinishedSeals {
  /** Paths of segments that are deleted: an undamaged journal has all of their rows. */
  leftovers: readonly string[]
  /** Paths of segments or journals that are kept under another name, since the other of both has more rows. */
  replaced: readonly string[]
  /** The segments that are live. */
  segments: readonly FoundSegment[]
  /** The journals that are not live. */
  sealed: ReadonlySet<FoundJournal>
}

/**
 * Decides between the journal and the segments of each head that has both. Usually the journal has all rows, and more
 * than the segments. If it is damaged, the side with more rows is live, and the other one is kept.
 */
export async function resolveUnfinished(
  files: Files,
  journals: readonly FoundJournal[],
  places: readonly SegmentPlace[],
  visitor: Pick<RecoveryVisitor, 'damage' | 'unreadable' | 'copy'>,
): Promise<UnfinishedSeals> {
  const [leftovers, replaced, segments]: [string[], string[], FoundSegment[]] = [[], [], []]
  const sealed = new Set<FoundJournal>()
  for (const journal of journals) {
    const own = places.filter((place) => journalPath(place) === journal.path)
    if (own.length === 0) continue
    const found = await findLiveSegments(files, own, { unreadable() {}, copy() {} })
    const { isWhole, rows, damages } = await survey(files, journal)
    if (isOfAnotherHead(journal, found)) {
      visitor.damage({ ...wholeOf(journal), unreadable: 'its name is that of a head which has been sealed: rename it' })
    } else if (isWhole || rows >= rowsOf(found)) {
      if (isWhole) leftovers.push(...own.map(({ path }) => path))
      else replaced.push(...own.map(({ path }) => path))
      continue
    } else {
      for (const damage of damages) visitor.damage(damage)
      replaced.push(journal.path)
    }
    sealed.add(journal)
    segments.push(...(await findLiveSegments(files, own, visitor)))
  }
  return { leftovers, replaced, segments, sealed }
}

const rowsOf = (segments: readonly FoundSegment[]) => segments.reduce((sum, { facts }) => sum + facts.rows, 0)

const wholeOf = ({ path, bytes }: FoundJournal): Damage => ({ path, offset: 0, bytes })

/** Whether another journal was copied to the name of a head that is sealed. */
function isOfAnotherHead({ header }: FoundJournal, segments: readonly FoundSegment[]): boolean {
  if (header === undefined) return false
  return segments.some(({ facts: { origin } }) => origin !== undefined && origin.journal !== markerOf(header))
}

async function survey(files: Files, { path, id }: FoundJournal) {
  const damages: Damage[] = []
  const visitor = { batch() {}, damage: (stretch: Damage) => void damages.push(stretch) }
  return { ...(await recoverJournal(files, path, id.source, visitor)), damages }
}
