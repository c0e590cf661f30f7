import type { Files } from '../../disk/files/files.js'
import type { JournalHeader } from '../../disk/journal/header.js'
import { readJournalHeader } from '../../disk/journal/recover.js'
import { type HeadId, journalPath } from '../files/file-names.js'
import type { FoundSegment } from './live-segments.js'
import type { RecoveryVisitor } from './recovery-visitor.js'

/** A journal, and the readable part of the header. */
export interface FoundJournal {
  id: HeadId
  path: string
  bytes: number
  header: JournalHeader | undefined
}

/** Reads the headers of journals. */
export async function findJournals(files: Files, ids: readonly HeadId[]): Promise<FoundJournal[]> {
  const found: FoundJournal[] = []
  for (const id of ids) {
    const path = journalPath(id)
    const header = await readJournalHeader(files, path, id.source)
    found.push({ id, path, bytes: await files.bytesBelow(path), header })
  }
  return found
}

/**
 * Returns the journals that are live, in the same order. The visitor gets the other journals: a journal of another
 * source than the name says, a copy of another journal, and a copy of a journal with its rows in `segments`.
 */
export function findLiveJournals(
  found: readonly FoundJournal[],
  segments: readonly FoundSegment[],
  visitor: Pick<RecoveryVisitor, 'damage' | 'copy'>,
): FoundJournal[] {
  const originals = pathsOfMarkers(found, segments)
  return found.filter((journal) => {
    const { id, path, bytes, header } = journal
    if (header === undefined) return true
    const original = originals.get(markerOf(header))!
    if (header.source !== id.source) {
      visitor.damage({
        path,
        offset: 0,
        bytes,
        unreadable: `it has rows of ${header.source}: rename it to that source`,
      })
    } else if (original !== path) visitor.copy(path, original)
    return header.source === id.source && original === path
  })
}

/** Returns the marker of a journal as text. */
export const markerOf = ({ marker }: JournalHeader): string => Buffer.from(marker).toString('hex')

/**
 * Returns the path of the original by marker: the path of a segment if the journal was sealed, else the path of the
 * longest journal, since a copy may have been made before the last append.
 */
function pathsOfMarkers(found: readonly FoundJournal[], segments: readonly FoundSegment[]): Map<string, string> {
  const longest = [...found].sort((a, b) => a.bytes - b.bytes || b.id.number - a.id.number)
  const paths = new Map<string, string>()
  for (const { path, header } of longest) if (header !== undefined) paths.set(markerOf(header), path)
  for (const { place, facts } of segments) if (facts.origin !== undefined) paths.set(facts.origin.journal, place.path)
  return paths
}
