import { arrayBuffersOf, free } from '../../../base/memory/array-buffers.js'
import { isBuiltIn, type SourceName } from '../../../common/sources.js'
import { createJournal, type Journal } from '../../disk/journal/writer.js'
import type { IngestBatch } from '../../engine.js'
import { isDamage } from '../../execute/columns/damage.js'
import { DiskSegment } from '../files/disk-segment.js'
import type { SegmentOrigin } from '../files/facts.js'
import { dayPath, type HeadId, JOURNALS, journalPath, SEGMENTS, segmentPath } from '../files/file-names.js'
import { readSegmentFacts, writeSegment } from '../files/segment-file.js'
import type { Segment } from '../segment/segment.js'
import { addSegment, type DiskState, reserveNumber } from './disk-state.js'
import { keepDamaged } from './keep-damaged.js'
import type { HeadPersistence } from './persistence.js'

/** Persists the rows of a head: in a journal, then in segments. */
export interface DiskHead extends HeadPersistence {
  /** Appends go to this journal from now on. To be called before the first append. */
  continueWith(journal: Journal): void
  /** The journal is damaged: the journal accepts no append, and `commit` renames the file instead of deleting it. */
  keepJournal(): void
}

interface HeadState {
  disk: DiskState
  id: HeadId
  journal: Journal | undefined
  /** Identifies the journal. */
  marker: Uint8Array | undefined
  keepsJournal: boolean
  /** Segments that were written. */
  written: DiskSegment[]
}

/** Returns the persistence of the next head of a source, with a new journal. */
export function openNextHead(disk: DiskState, source: SourceName): DiskHead {
  const id = { source, number: (disk.lastNumbers.get(source) ?? 0) + 1 }
  const head = openDiskHead(disk, id)
  head.continueWith(createJournal(disk.files, journalPath(id), source))
  return head
}

/** Returns the persistence of a head, without a journal to append to. `marker` is the marker of the journal on disk. */
export function openDiskHead(disk: DiskState, id: HeadId, marker?: Uint8Array): DiskHead {
  reserveNumber(disk, id)
  const { diskRetry } = disk
  const state: HeadState = { disk, id, journal: undefined, marker, keepsJournal: false, written: [] }
  const append = (batch: IngestBatch) => diskRetry.retry(() => state.journal!.append(batch))
  return {
    number: id.number,
    continueWith(journal) {
      state.journal = journal
      state.marker = journal.marker
      disk.journals.add(journal)
    },
    keepJournal() {
      state.keepsJournal = true
    },
    append: isBuiltIn(id.source) ? append : (batch) => raisingFormat(state, () => append(batch)),
    isFailing: () => state.journal?.failure !== undefined,
    async write(segments) {
      const written = await diskRetry.retry(() => writeSegments(state, segments))
      state.written.push(...written)
      for (const segment of written) addSegment(disk, segment)
      free(arrayBuffersOf(segments))
      return written
    },
    commit: () => commit(state),
  }
}

/** Raises the format of the directory before rows of an own source are written: earlier versions cannot read them. */
async function raisingFormat({ disk }: HeadState, append: () => Promise<void>): Promise<void> {
  await disk.diskRetry.retry(() => disk.raiseFormat())
  await append()
}

/** Writes segments of a head and reads their facts back. Deletes the remains of an earlier attempt. */
async function writeSegments(state: HeadState, segments: readonly Segment[]): Promise<DiskSegment[]> {
  const { disk, id } = state
  const { files } = disk
  const parts = state.written.length
  const days = segments.map(({ day }) => day)
  const written: DiskSegment[] = []
  for (const [i, segment] of segments.entries()) {
    const path = segmentPath(id, parts + i, segment.day)
    const place = { ...id, part: parts + i, day: segment.day, edition: 0, path }
    await makeDayDirectory(disk, id.source, segment.day)
    await files.remove(path)
    await writeSegment(files, path, segment, originOf(state, parts + i, days))
    const facts = await readSegmentFacts(files, path).catch(systemErrorOf)
    written.push(new DiskSegment(disk, place, facts, false))
  }
  return written
}

function originOf(
  { id, marker, written }: HeadState,
  part: number,
  days: readonly number[],
): SegmentOrigin | undefined {
  if (marker === undefined) return undefined
  return { head: id.number, part, journal: Buffer.from(marker).toString('hex'), firstPart: written.length, days }
}

/** Throws the system's error that caused an error of damage, if any: the write is retried after such an error. */
function systemErrorOf(error: Error): never {
  throw isDamage(error) ? (error.cause ?? error) : error
}

async function makeDayDirectory({ files }: DiskState, source: SourceName, day: number): Promise<void> {
  await files.makeDirectory(dayPath(source, day))
  await files.syncDirectory(`${SEGMENTS}/${source}`)
  await files.syncDirectory(SEGMENTS)
}

/**
 * Deletes the journal of a head, which makes the segments of the head live. A damaged journal is renamed instead. The
 * journal is closed before: a sync would create the journal again, empty, and the next start would delete the segments
 * as leftovers. The deletion is final once the directory is synced. A journal that came back after a power cut would
 * have no more than the synced rows.
 */
async function commit({ disk, id, journal, keepsJournal, written }: HeadState): Promise<void> {
  const { files, diskRetry, journals } = disk
  const path = journalPath(id)
  if (journal !== undefined) await diskRetry.retry(() => journal.close())
  await diskRetry.retry<unknown>(() => (keepsJournal ? keepDamaged(files, path) : files.remove(path)))
  await diskRetry.retry(() => files.syncDirectory(JOURNALS))
  if (journal !== undefined) journals.delete(journal)
  for (const segment of written) segment.commit()
}
