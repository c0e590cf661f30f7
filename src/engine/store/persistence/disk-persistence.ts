import type { DiskRetry } from '../../disk/files/disk-retry.js'
import type { Files } from '../../disk/files/files.js'
import type { CompactCold, DiskSegment, MakePathColumns } from '../files/disk-segment.js'
import type { RowsToRead } from '../files/inventory.js'
import { openNextHead } from './disk-head.js'
import { createDiskState, type DiskState, type PersistenceHooks } from './disk-state.js'
import { addNextPathColumns, compactNext } from './idle-work.js'
import type { Persistence, RecoveryTarget } from './persistence.js'
import { recoverDisk, recoverToRead } from './recover-disk.js'
import type { RecoveryVisitor } from './recovery-visitor.js'
import { replaceSegment } from './replace-segment.js'

/** Persists rows below a data directory: the rows of an open head in a journal, sealed rows in segment files. */
export interface DiskPersistence extends Persistence {
  /**
   * Recovers all rows of the directory into an empty store. With `toRead`, recovers some of the rows, without changing
   * anything. To be called once, before anything else.
   */
  recover(store: RecoveryTarget, visitor: RecoveryVisitor, toRead?: RowsToRead): Promise<void>
  /** How many segments wait for each kind of idle work. */
  waiting(): { pathColumns: number; compaction: number }
  /** Bytes on disk of all journals and segments, and of the other files in their directories. */
  bytes(): number
  /**
   * Compacts the oldest uncompacted segment, if any. `compact` is called with the cold file of the segment and returns
   * a smaller file, or undefined if cancelled. Returns false if there was no such segment. Rejects with the system's
   * error: other segments are tried next.
   */
  compactNext(compact: CompactCold): Promise<boolean>
  /**
   * Adds path columns to the newest segment without, if any. `make` is called with the cold file of the segment and
   * returns the columns, or undefined if cancelled. Otherwise as `compactNext`.
   */
  addNextPathColumns(make: MakePathColumns): Promise<boolean>
  /**
   * Makes all appended rows survive a power cut. If the sync of a journal fails, `isFailing` of the head reports the
   * failure.
   */
  sync(): Promise<void>
  /** Closes the journals. The files stay. */
  close(): Promise<void>
}

/**
 * Returns a persistence in the directory of `files`. A head has at most `headBytes`. Segments of larger heads, which a
 * process with more memory has written, get no idle work.
 */
export function createDiskPersistence(
  files: Files,
  diskRetry: DiskRetry,
  hooks: PersistenceHooks,
  headBytes = Number.POSITIVE_INFINITY,
): DiskPersistence {
  const state = createDiskState(files, diskRetry, hooks, headBytes)
  const { columns } = state
  return {
    openHead: (source) => openNextHead(state, source),
    lastHead: (source) => state.lastNumbers.get(source) ?? 0,
    drop: (segments, drained) => drop(state, segments as readonly DiskSegment[], drained),
    replace: (segment, left, makePathColumns) => replaceSegment(state, segment as DiskSegment, left, makePathColumns),
    readToSeal: (segment) => (segment as DiskSegment).readToSeal(),
    compactNext: (compact) => compactNext(state, compact),
    addNextPathColumns: (make) => addNextPathColumns(state, make),
    waiting: () => ({ pathColumns: state.withoutPathColumns.size, compaction: state.uncompacted.size }),
    columnBytes: () => columns.calculatedSize,
    unload: () => columns.pop() !== undefined,
    recover: (store, visitor, toRead) =>
      toRead === undefined ? recoverDisk(state, store, visitor) : recoverToRead(state, store, visitor, toRead),
    bytes: () => bytesOf(state),
    async sync() {
      await Promise.all([...state.journals].map((journal) => journal.sync().catch(() => {})))
    },
    close: () => close(state),
  }
}

/**
 * A deletion that fails at shutdown is abandoned: the next start finds the segment again, and retention drops it
 * again.
 */
function drop(state: DiskState, segments: readonly DiskSegment[], drained: Promise<void>): Promise<void> {
  const removed = segments.map((segment) => {
    state.segmentBytes -= segment.fileBytes
    state.uncompacted.delete(segment)
    state.withoutPathColumns.delete(segment)
    segment.retire()
    return state.removals.run(() => drained.then(() => segment.remove()))
  })
  const all = Promise.all(removed).then(() => {})
  // Most callers do not wait.
  all.catch(() => {})
  return all
}

function bytesOf({ segmentBytes, otherBytes, journals }: DiskState): number {
  let bytes = segmentBytes + otherBytes
  for (const journal of journals) bytes += journal.bytes
  return bytes
}

async function close({ columns, removals, journals }: DiskState): Promise<void> {
  columns.clear()
  await removals.settled()
  await Promise.all([...journals].map((journal) => journal.close()))
}
