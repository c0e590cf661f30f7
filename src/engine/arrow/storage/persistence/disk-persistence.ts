import { arrayBuffersOf, free } from '../../../../base/array-buffers.js'
import { createSerialQueue } from '../../../../base/serial-queue.js'
import { KIB } from '../../../../base/units.js'
import type { SourceName } from '../../../../sources.js'
import type { DiskRetry } from '../../../disk/files/disk-retry.js'
import type { Files } from '../../../disk/files/files.js'
import { type Damage, recoverJournal } from '../../../disk/journal/recover.js'
import { continueJournal, createJournal, type Journal } from '../../../disk/journal/writer.js'
import type { IngestBatch } from '../../../engine.js'
import { createColumnsInMemory, DiskSegment } from '../files/disk-segment.js'
import {
  dayPath,
  type HeadId,
  JOURNALS,
  journalPath,
  REMOVED_SUFFIX,
  SEGMENTS,
  segmentPath,
} from '../files/file-names.js'
import { type SegmentPlace, takeInventory } from '../files/inventory.js'
import { readSegmentFacts, writeSegment } from '../files/segment-file.js'
import type { UncompactedCold } from '../sealing/compact.js'
import type { Segment } from '../segment/segment.js'
import type { Store } from '../store/store.js'
import type { HeadPersistence, Persistence } from './persistence.js'

/** Keeps rows below a data directory: those of an open head in its journal, sealed ones in segment files. */
export interface DiskPersistence extends Persistence {
  /** Hands all rows that are kept to an empty store. Once, before anything else. */
  recover(store: RecoveringStore, visitor: RecoveryVisitor): Promise<void>
  /** Bytes on disk of all that it keeps. */
  bytes(): number
  /**
   * Makes the files smaller of a segment that was sealed in a hurry, if there is any: `compact` is given its cold file, and
   * gives a smaller one, or nothing where it was not done. Rejects where it cannot be done; each is tried in turn.
   */
  compactNext(compact: (cold: UncompactedCold) => Promise<Buffer | undefined>): Promise<void>
  /** Makes what was appended so far survive a power cut; a journal for which this fails says so by `isFailing`. */
  sync(): Promise<void>
  /** Lets go of the journals, which stay. */
  close(): Promise<void>
}

type RecoveringStore = Pick<Store, 'adopt' | 'reopen' | 'settled'>

/** A cold file that is shorter is not made smaller: what it could save is next to nothing. */
const WORTH_BYTES = 64 * KIB

interface OpenHead extends HeadPersistence {
  /** From here on appends go to this journal. */
  continueWith(journal: Journal): void
}

/** Is told what recovery finds amiss; it goes on. */
export interface RecoveryVisitor {
  /** A stretch of a journal that is damaged, and with it the rows in it. */
  damage(stretch: Damage): void
  /** A segment that cannot be read: it stays where it is, and its rows are not shown. */
  unreadable(path: string, error: Error): void
}

/**
 * `onLoad` is told when columns of a segment have come into memory. Cold files longer than `maxCompactBytes` are not made
 * smaller, for which their texts come into memory: they are from a process that had more of it.
 */
export function createDiskPersistence(
  files: Files,
  diskRetry: DiskRetry,
  onLoad: () => void,
  maxCompactBytes = Number.POSITIVE_INFINITY,
): DiskPersistence {
  const journals = new Set<Journal>()
  const lastNumbers = new Map<SourceName, number>()
  /** The segments that were sealed in a hurry, and are worth more work. */
  const uncompacted = new Set<DiskSegment>()
  let segmentBytes = 0
  const removals = createSerialQueue()
  const columns = createColumnsInMemory()
  const disk = { files, diskRetry, columns, onLoad }

  function reserve({ source, number }: HeadId): void {
    lastNumbers.set(source, Math.max(number, lastNumbers.get(source) ?? 0))
  }

  /** A head, whose journal is not known yet while that is being read. */
  function keepHead(id: HeadId): OpenHead {
    reserve(id)
    let journal: Journal | undefined
    let parts = 0
    return {
      continueWith(found) {
        journal = found
        journals.add(found)
      },
      append: (batch) => diskRetry.retry(() => journal!.append(batch)),
      isFailing: () => journal?.failure !== undefined,
      async write(segments) {
        const written = await diskRetry.retry(() => writeSegments(id, parts, segments))
        parts += written.length
        for (const segment of written) hold(segment)
        free(arrayBuffersOf(segments))
        return written
      },
      async commit() {
        // Closed before it goes: a sync would make it anew, without a row, and the segments leftovers of it.
        await diskRetry.retry(() => journal!.close())
        // From here on the head is its segments; for good once the directory is synced: a journal that came back after a
        // power cut would bring no more than what was synced of it.
        await diskRetry.retry(() => files.remove(journalPath(id)))
        await diskRetry.retry(() => files.syncDirectory(JOURNALS))
        journals.delete(journal!)
      },
    }
  }

  /** Writes segments of a head and reads their facts back; what an attempt before has left goes. */
  async function writeSegments(id: HeadId, firstPart: number, segments: readonly Segment[]): Promise<DiskSegment[]> {
    const written: DiskSegment[] = []
    for (const [i, segment] of segments.entries()) {
      const path = segmentPath(id, firstPart + i, segment.day)
      await makeDayDirectory(id.source, segment.day)
      await files.remove(path)
      await writeSegment(files, path, segment)
      written.push(new DiskSegment(disk, path, await readSegmentFacts(files, path)))
    }
    return written
  }

  /** From here on the segment counts. */
  function hold(segment: DiskSegment): void {
    segmentBytes += segment.fileBytes
    const { uncompactedBytes } = segment
    if (uncompactedBytes >= WORTH_BYTES && uncompactedBytes <= maxCompactBytes) uncompacted.add(segment)
  }

  async function makeDayDirectory(source: SourceName, day: number): Promise<void> {
    await files.makeDirectory(dayPath(source, day))
    await files.syncDirectory(`${SEGMENTS}/${source}`)
    await files.syncDirectory(SEGMENTS)
  }

  async function recoverSegment({ path, source, number }: SegmentPlace, visitor: RecoveryVisitor) {
    reserve({ source, number })
    return readSegmentFacts(files, path).then(
      (facts) => new DiskSegment(disk, path, facts),
      (error) => {
        if (error.code !== 'damaged_segment') throw error
        visitor.unreadable(path, error)
      },
    )
  }

  /** Hands over the head of an earlier process; a journal without a header holds no rows, and goes. */
  async function recoverHead(id: HeadId, store: RecoveringStore, { damage }: RecoveryVisitor): Promise<void> {
    const head = keepHead(id)
    const path = journalPath(id)
    await store.reopen(id.source, head, async (show) => {
      const batch = async (shown: IngestBatch) => {
        show(shown)
        await roomIn(store)
      }
      const { header, length } = await recoverJournal(files, path, { batch, damage })
      if (header !== undefined) head.continueWith(continueJournal(files, path, header, length))
      else await files.rename(path, path + REMOVED_SUFFIX)
      return header !== undefined
    })
    await roomIn(store)
  }

  /** So that the heads of an earlier process take no more memory than its own did; but a full disk holds up no start. */
  const roomIn = (store: RecoveringStore) => Promise.race([store.settled(), diskRetry.failing()])

  return {
    openHead(source) {
      const id = { source, number: (lastNumbers.get(source) ?? 0) + 1 }
      const head = keepHead(id)
      head.continueWith(createJournal(files, journalPath(id), source))
      return head
    },
    drop(segments, read) {
      for (const segment of segments as readonly DiskSegment[]) {
        segmentBytes -= segment.fileBytes
        uncompacted.delete(segment)
        segment.retire()
        // Given up when the process stops: then it is there at the next start, and goes again.
        removals.run(() => read.then(() => segment.remove())).catch(() => {})
      }
    },
    async compactNext(compact) {
      const [segment] = uncompacted
      if (segment === undefined) return
      uncompacted.delete(segment)
      const before = segment.fileBytes
      let isDone = false
      try {
        isDone = await segment.compact(compact)
      } catch (error) {
        // Whoever asks for one of its rows is told.
        isDone = (error as { code?: unknown }).code === 'damaged_segment'
        if (!isDone && !segment.isDropped) throw error
      } finally {
        if (!segment.isDropped) {
          segmentBytes += segment.fileBytes - before
          if (!isDone) uncompacted.add(segment)
        }
      }
    },
    columnBytes: () => columns.calculatedSize,
    unload: () => columns.pop() !== undefined,
    async recover(store, visitor) {
      for (const directory of [JOURNALS, SEGMENTS]) await files.makeDirectory(directory)
      await files.syncDirectory('')
      const { journals, segments, leftovers } = await takeInventory(files)
      for (const path of leftovers) await files.remove(path)
      for (const place of segments) {
        const segment = await recoverSegment(place, visitor)
        if (segment === undefined) continue
        hold(segment)
        store.adopt(segment)
      }
      for (const id of journals) await recoverHead(id, store, visitor)
    },
    bytes() {
      let bytes = segmentBytes
      for (const journal of journals) bytes += journal.bytes
      return bytes
    },
    async sync() {
      await Promise.all([...journals].map((journal) => journal.sync().catch(() => {})))
    },
    async close() {
      columns.clear()
      await removals.settled()
      await Promise.all([...journals].map((journal) => journal.close()))
    },
  }
}
