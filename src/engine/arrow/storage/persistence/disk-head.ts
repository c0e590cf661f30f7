import { arrayBuffersOf, free } from '../../../../base/array-buffers.js'
import type { SourceName } from '../../../../sources.js'
import { createJournal, type Journal } from '../../../disk/journal/writer.js'
import { isDamage } from '../files/damage.js'
import { DiskSegment } from '../files/disk-segment.js'
import { dayPath, type HeadId, JOURNALS, journalPath, SEGMENTS, segmentPath } from '../files/file-names.js'
import { readSegmentFacts, writeSegment } from '../files/segment-file.js'
import type { Segment } from '../segment/segment.js'
import { addSegment, type DiskState, reserveNumber } from './disk-state.js'
import type { HeadPersistence } from './persistence.js'

/** Persists the rows of one head: in its journal, then in its segments. */
export interface DiskHead extends HeadPersistence {
  /** Appends go to this journal from now on. To be called before the first append. */
  continueWith(journal: Journal): void
}

interface HeadState {
  disk: DiskState
  id: HeadId
  journal: Journal | undefined
  /** Segments that were written. */
  parts: number
}

/** Returns the persistence of the next head of a source, with a new journal. */
export function openNextHead(disk: DiskState, source: SourceName): DiskHead {
  const id = { source, number: (disk.lastNumbers.get(source) ?? 0) + 1 }
  const head = openDiskHead(disk, id)
  head.continueWith(createJournal(disk.files, journalPath(id), source))
  return head
}

/** Returns the persistence of a head, without a journal. */
export function openDiskHead(disk: DiskState, id: HeadId): DiskHead {
  reserveNumber(disk, id)
  const { diskRetry } = disk
  const state: HeadState = { disk, id, journal: undefined, parts: 0 }
  return {
    continueWith(journal) {
      state.journal = journal
      disk.journals.add(journal)
    },
    append: (batch) => diskRetry.retry(() => state.journal!.append(batch)),
    isFailing: () => state.journal?.failure !== undefined,
    async write(segments) {
      const written = await diskRetry.retry(() => writeSegments(state, segments))
      state.parts += written.length
      for (const segment of written) addSegment(disk, segment)
      free(arrayBuffersOf(segments))
      return written
    },
    commit: () => commit(state),
  }
}

/** Writes segments of a head and reads their facts back. Deletes the remains of an earlier attempt. */
async function writeSegments({ disk, id, parts }: HeadState, segments: readonly Segment[]): Promise<DiskSegment[]> {
  const { files } = disk
  const written: DiskSegment[] = []
  for (const [i, segment] of segments.entries()) {
    const path = segmentPath(id, parts + i, segment.day)
    await makeDayDirectory(disk, id.source, segment.day)
    await files.remove(path)
    await writeSegment(files, path, segment)
    written.push(new DiskSegment(disk, path, await readSegmentFacts(files, path).catch(systemErrorOf)))
  }
  return written
}

/** Throws the system's error behind an error of damage, if there is one: the write is retried after that. */
function systemErrorOf(error: Error): never {
  throw isDamage(error) ? (error.cause ?? error) : error
}

async function makeDayDirectory({ files }: DiskState, source: SourceName, day: number): Promise<void> {
  await files.makeDirectory(dayPath(source, day))
  await files.syncDirectory(`${SEGMENTS}/${source}`)
  await files.syncDirectory(SEGMENTS)
}

/**
 * Deletes the journal of a head, which makes its segments live. The journal is closed before: a sync would create it
 * again, empty, and the next start would delete the segments as leftovers. The deletion is final once the directory
 * is synced; a journal that came back after a power cut would have no more than its synced rows.
 */
async function commit({ disk, id, journal }: HeadState): Promise<void> {
  const { files, diskRetry, journals } = disk
  await diskRetry.retry(() => journal!.close())
  await diskRetry.retry(() => files.remove(journalPath(id)))
  await diskRetry.retry(() => files.syncDirectory(JOURNALS))
  journals.delete(journal!)
}
