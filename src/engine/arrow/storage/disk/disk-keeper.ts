import { createTurns } from '../../../../base/turns.js'
import type { SourceName } from '../../../../sources.js'
import type { IngestBatch } from '../../../engine.js'
import type { HeadKeeper, Keeper } from '../keeper.js'
import type { Segment } from '../segment.js'
import type { Store } from '../store.js'
import type { Files } from './files.js'
import { type SegmentPlace, takeInventory } from './inventory.js'
import { type Damage, recoverJournal } from './journal/recover.js'
import { continueJournal, createJournal, type Journal } from './journal/writer.js'
import { dayPath, GONE, type HeadId, JOURNALS, journalPath, SEGMENTS, segmentPath } from './layout.js'
import { type DiskSegment, holdOnDisk } from './segment/disk-segment.js'
import { readSegmentFacts, writeSegment } from './segment/segment-file.js'
import type { Trouble } from './trouble.js'

/** Keeps rows below a data directory: those of an open head in its journal, sealed ones in segment files. */
export interface DiskKeeper extends Keeper {
  /** Hands all rows that are kept to an empty store. Once, before anything else. */
  recover(store: Pick<Store, 'adopt' | 'reopen' | 'settled'>, visitor: RecoveryVisitor): Promise<void>
  /** Makes what was appended so far survive a power cut; a journal for which this fails says so by `isFailing`. */
  sync(): Promise<void>
  /** Lets go of the journals, which stay. */
  close(): Promise<void>
}

/** Is told what recovery finds amiss; it goes on. */
export interface RecoveryVisitor {
  /** A stretch of a journal that is damaged, and with it the rows in it. */
  damage(stretch: Damage): void
  /** A segment that cannot be read: it stays where it is, and its rows are not shown. */
  unreadable(path: string, error: Error): void
}

/** `onLoad` is told when columns of a segment have come into memory. */
export function createDiskKeeper(files: Files, trouble: Trouble, onLoad: () => void): DiskKeeper {
  const journals = new Set<Journal>()
  const lastNumbers = new Map<SourceName, number>()
  const held = new Set<DiskSegment>()
  const removals = createTurns()

  function reserve({ source, number }: HeadId): void {
    lastNumbers.set(source, Math.max(number, lastNumbers.get(source) ?? 0))
  }

  function keepHead(id: HeadId, journal: Journal): HeadKeeper {
    journals.add(journal)
    reserve(id)
    return {
      append: (batch) => trouble.outlast(() => journal.append(batch)),
      isFailing: () => journal.failure !== undefined,
      async seal(segments) {
        const kept = await trouble.outlast(() => writeSegments(id, segments))
        // From here on the head is its segments; for good once the directory is synced: a journal that came back after a
        // power cut would bring no more than what was synced of it.
        await trouble.outlast(() => files.remove(journalPath(id)))
        await trouble.outlast(() => files.syncDirectory(JOURNALS))
        journals.delete(journal)
        for (const segment of kept) held.add(segment)
        await journal.close()
        return kept
      },
    }
  }

  /** Writes the segments of a head and reads their facts back; what an attempt before has left goes. */
  async function writeSegments(id: HeadId, segments: readonly Segment[]): Promise<DiskSegment[]> {
    const written: DiskSegment[] = []
    for (const [part, segment] of segments.entries()) {
      const path = segmentPath(id, part, segment.day)
      await makeDayDirectory(id.source, segment.day)
      await files.remove(path)
      await writeSegment(files, path, segment)
      written.push(holdOnDisk(files, path, await readSegmentFacts(files, path), onLoad))
    }
    return written
  }

  async function makeDayDirectory(source: SourceName, day: number): Promise<void> {
    await files.makeDirectory(dayPath(source, day))
    await files.syncDirectory(`${SEGMENTS}/${source}`)
    await files.syncDirectory(SEGMENTS)
  }

  async function recoverSegment({ path, source, number }: SegmentPlace, visitor: RecoveryVisitor) {
    reserve({ source, number })
    return readSegmentFacts(files, path).then(
      (facts) => holdOnDisk(files, path, facts, onLoad),
      (error) => {
        if (error.code !== 'damaged_segment') throw error
        visitor.unreadable(path, error)
      },
    )
  }

  /** The journal of an earlier process, its rows shown; undefined where it holds nothing that rows can be appended to. */
  async function recoverHead(id: HeadId, show: (batch: IngestBatch) => void, visitor: RecoveryVisitor) {
    reserve(id)
    const path = journalPath(id)
    const { header, length } = await recoverJournal(files, path, { batch: show, damage: visitor.damage })
    if (header !== undefined) return keepHead(id, continueJournal(files, path, header, length))
    await files.rename(path, path + GONE)
    return undefined
  }

  return {
    openHead(source) {
      const id = { source, number: (lastNumbers.get(source) ?? 0) + 1 }
      return keepHead(id, createJournal(files, journalPath(id), source))
    },
    drop(segments) {
      for (const segment of held) {
        if (!segments.includes(segment)) continue
        held.delete(segment)
        removals.take(() => segment.remove()).catch(() => {})
      }
    },
    async recover(store, visitor) {
      for (const directory of [JOURNALS, SEGMENTS]) await files.makeDirectory(directory)
      await files.syncDirectory('')
      const { journals, segments, leftovers } = await takeInventory(files)
      for (const path of leftovers) await files.remove(path)
      for (const place of segments) {
        const segment = await recoverSegment(place, visitor)
        if (segment === undefined) continue
        held.add(segment)
        store.adopt(segment)
      }
      for (const id of journals) {
        await store.reopen(id.source, (show) => recoverHead(id, show, visitor))
        // So that heads of an earlier process take no more memory than its own did; but a full disk holds up no start.
        await Promise.race([store.settled(), trouble.begins()])
      }
    },
    async sync() {
      await Promise.all([...journals].map((journal) => journal.sync().catch(() => {})))
    },
    async close() {
      for (const segment of held) void segment.close()
      await removals.settled()
      await Promise.all([...journals].map((journal) => journal.close()))
    },
  }
}
