import { type Damage, recoverJournal } from '../../../disk/journal/recover.js'
import { continueJournal } from '../../../disk/journal/writer.js'
import type { IngestBatch } from '../../../engine.js'
import { DiskSegment } from '../files/disk-segment.js'
import { type HeadId, JOURNALS, journalPath, REMOVED_SUFFIX, SEGMENTS } from '../files/file-names.js'
import { type RowsToRead, type SegmentPlace, takeInventory } from '../files/inventory.js'
import { readSegmentFacts } from '../files/segment-file.js'
import { openDiskHead } from './disk-head.js'
import { addSegment, type DiskState, reserveNumber } from './disk-state.js'
import type { HeadPersistence, RecoveryTarget } from './persistence.js'

/** Receives the damage that recovery finds; recovery continues. */
export interface RecoveryVisitor {
  /** Called with a damaged stretch of a journal; its rows are lost. */
  damage(stretch: Damage): void
  /** Called with a segment that cannot be read. Its files stay in place; its rows are not visible. */
  unreadable(path: string, error: Error): void
}

/**
 * Recovers all rows below the data directory into an empty store: segments, then the heads of journals. Deletes
 * leftovers of unfinished work. Rejects with the system's error, or with `newer_format`.
 */
export async function recoverDisk(state: DiskState, store: RecoveryTarget, visitor: RecoveryVisitor): Promise<void> {
  const { files } = state
  for (const directory of [JOURNALS, SEGMENTS]) await files.makeDirectory(directory)
  await files.syncDirectory('')
  const { journals, segments, leftovers } = await takeInventory(files)
  for (const path of leftovers) await files.remove(path)
  for (const place of segments) {
    const segment = await recoverSegment(state, place, visitor)
    if (segment === undefined) continue
    addSegment(state, segment)
    store.adopt(segment)
  }
  for (const id of journals) await recoverHead(state, id, store, visitor)
}

/**
 * Recovers some rows like {@link recoverDisk}, but changes nothing: leftovers stay and are ignored, and heads accept no
 * further rows. The sealer of the store must refuse to seal.
 */
export async function recoverToRead(
  state: DiskState,
  store: RecoveryTarget,
  visitor: RecoveryVisitor,
  toRead: RowsToRead,
): Promise<void> {
  const { files } = state
  const { journals, segments } = await takeInventory(files, toRead)
  for (const place of segments) {
    const segment = await recoverSegment(state, place, visitor)
    if (segment !== undefined) store.adopt(segment)
  }
  for (const id of journals) {
    await store.reopen(id.source, NO_PERSISTENCE, async (show) => {
      await recoverJournal(files, journalPath(id), { batch: show, damage: visitor.damage })
      return false
    })
  }
}

const refuse = () => Promise.reject(new TypeError('The directory is open to be read.'))
const NO_PERSISTENCE: HeadPersistence = { append: refuse, write: refuse, commit: refuse, isFailing: () => false }

/** Returns undefined if the segment is damaged. */
async function recoverSegment(
  state: DiskState,
  { path, source, number }: SegmentPlace,
  visitor: RecoveryVisitor,
): Promise<DiskSegment | undefined> {
  reserveNumber(state, { source, number })
  return readSegmentFacts(state.files, path).then(
    (facts) => new DiskSegment(state, path, facts),
    (error) => {
      if (error.code !== 'damaged_segment') throw error
      visitor.unreadable(path, error)
      return undefined
    },
  )
}

/** Recovers the head of an earlier process. A journal without a header has no rows and is renamed, to be deleted. */
async function recoverHead(
  state: DiskState,
  id: HeadId,
  store: RecoveryTarget,
  { damage }: RecoveryVisitor,
): Promise<void> {
  const { files } = state
  const head = openDiskHead(state, id)
  const path = journalPath(id)
  await store.reopen(id.source, head, async (show) => {
    const batch = async (recovered: IngestBatch) => {
      show(recovered)
      await waitForRoom(state, store)
    }
    const { header, length } = await recoverJournal(files, path, { batch, damage })
    if (header !== undefined) head.continueWith(continueJournal(files, path, header, length))
    else await files.rename(path, path + REMOVED_SUFFIX)
    return header !== undefined
  })
  await waitForRoom(state, store)
}

/**
 * Waits until recovered heads take no more memory than those of the earlier process. The service is ready before they
 * are sealed.
 * Does not wait while the disk fails: a full disk must not keep the service from starting.
 */
const waitForRoom = ({ diskRetry }: DiskState, store: RecoveryTarget) =>
  Promise.race([store.room(), diskRetry.failing()])
