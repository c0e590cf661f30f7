import type { SourceName } from '../../../common/sources.js'
import type { TimeRange } from '../../../plan/plan.js'
import type { Engine, IngestBatch, SourceStats } from '../../engine.js'
import { bytesOfOpenBatch, type OpenBatch } from '../../execute/open-batch/open-batch.js'
import type { RecoveryTarget } from '../persistence/persistence.js'
import type { IdleWork } from '../sealing/sealer.js'
import type { SegmentHandle } from '../segment/handle.js'
import { append, reopen, roomForHeads } from './append.js'
import { type Dropped, daysBefore, drop, oldestDay, setAside } from './drop.js'
import type { Limit } from './keeper.js'
import { type KeptRows, type RemovedRows, removeRows } from './remove-rows.js'
import {
  beginClosing,
  closeHead,
  closeSealing,
  hasHead,
  sealAll,
  sealFailing,
  sealOldHeads,
  settled,
  whenIdle,
} from './seal-heads.js'
import { headsOf, statsOf } from './source-table.js'
import { createStoreState, type StoreOptions, type StoreState, tableOf } from './state.js'
import { createView, type HeldRows, holdHead, holdRows, type View } from './view.js'

/** The rows of all sources: open heads, heads that are being sealed, and sealed segments. */
export interface Store extends RecoveryTarget {
  /**
   * Persists a batch, makes the batch visible, and starts to seal the batch's head if that head is full. Batches of a
   * source are stored in the order of the calls. Resolves when there is room for more. Rejects if the batch could not
   * be persisted. The batch is then not visible.
   */
  append(batch: IngestBatch): Promise<void>
  /** Starts to seal the heads that may lose rows in a power cut, since their journal cannot be synced. */
  sealFailing(): void
  /**
   * Seals the open heads that have a row of a UTC day before `day`, in days since the epoch, in succession. Resolves
   * when each head is sealed or cannot be sealed. Never rejects. Does nothing while an earlier call runs, and stops
   * when the store closes.
   */
  sealOldHeads(day: number): Promise<void>
  /**
   * Returns the rows of a source at this moment. Parts outside of the range are left out. The other parts are whole.
   * Rows past their limit are hidden unless `hidesOld` is false.
   */
  view(source: SourceName, range?: TimeRange, hidesOld?: boolean): View
  /** Keeps all rows that a source has at this moment, until the caller releases the rows. */
  holdRows(source: SourceName): HeldRows
  /** Keeps the rows of a head readable, also after sealing, until the returned function is called. */
  hold(head: OpenBatch): () => void
  /**
   * Lends the sealer to other work, and cancels the flag of the work as soon as a head waits. Does nothing if a head is
   * being sealed, or rows arrived fast less than 10 s ago.
   */
  whenIdle(work: IdleWork): Promise<void>
  /** Whether rows arrive fast, or heads wait for the sealer. */
  isBusy(): boolean
  /** Seals every head that has a row. Rejects with the first error. */
  sealAll(): Promise<void>
  /** Resolves when all appends that were called are done and no head is being sealed. */
  settled(): Promise<void>
  /**
   * Begins to close: heads are sealed with low effort, and only for a while. Later heads stay in their journals.
   * {@link append} does not reject because of the heads in journals.
   */
  stopWaiting(): void
  /** Closes the sealer when nothing is being sealed. */
  close(): Promise<void>
  stats(): SourceStats[]
  /** Bytes of memory of all heads and columns, and bytes that the sealer and the head pool reserve. */
  bytes(): number
  /** Bytes of memory of the columns of sealed segments. */
  columnBytes(): number
  /**
   * Frees memory that is reserved for the next head: all of that memory, or only memory that was not used since the
   * last call.
   */
  trim(what: 'idle' | 'all'): void
  /** Evicts the columns of the least recently opened segment. Returns false if there is no segment to evict. */
  unload(): boolean
  /** Returns the oldest UTC day of all sealed segments, in days since the epoch. Undefined if there is none. */
  oldestDay(): number | undefined
  /** Returns the UTC days before a day that have sealed segments, in days since the epoch, the oldest first. */
  daysBefore(day: number): number[]
  /**
   * Drops the sealed segments of a day, or only the oldest segment of each source in the day, apart from segments that
   * the keeper wants to stay for now. Returns the sources that lost rows.
   */
  drop(day: number, extent: 'day' | 'oldest segments', limit?: Limit): Dropped[]
  /** Counts a change of the visible rows of a source that the store does not see. */
  noteChange(source: SourceName): void
  /** See {@link Engine.revision}. */
  revision(source: SourceName): number
  /** Returns the sealed segments of a source, or of all sources. */
  segments(source?: SourceName): readonly SegmentHandle[]
  /**
   * Ends the open head of a source if it has rows of a project, and starts to seal the head. Returns the number of the
   * newest head that may have such rows, 0 if there is none: rows of the project that are appended later are in later
   * heads.
   */
  closeHead(source: SourceName, project: string): Promise<number>
  /** Whether a source has heads up to a number that are not sealed yet. */
  hasHead(source: SourceName, lastHead: number): boolean
  /** See {@link removeRows}. */
  removeRows(segment: SegmentHandle, keptOf: KeptRows | 'none'): Promise<RemovedRows | undefined>
  /** Removes a damaged segment from later views, and the rows of the segment from the caches. The files stay. */
  setAside(segment: SegmentHandle): void
}

/** Returns an empty store. */
export function createStore(options: StoreOptions): Store {
  const state = createStoreState(options)
  const { persistence, sealer, headPool } = state
  return {
    append: (batch) => append(state, batch),
    adopt: (segment) => void tableOf(state, segment.source).segments.push(segment),
    reopen: (source, headPersistence, replay) => reopen(state, source, headPersistence, replay),
    sealFailing: () => sealFailing(state),
    sealOldHeads: (day) => sealOldHeads(state, day),
    view: (source, range, hidesOld) => createView(state, source, range, hidesOld),
    holdRows: (source) => holdRows(state, source),
    hold: (head) => holdHead(state, head),
    whenIdle: (work) => whenIdle(state, work),
    isBusy: () => state.effortPolicy.isBusy() || state.backlog.length > 0,
    sealAll: () => sealAll(state),
    room: () => roomForHeads(state),
    settled: () => settled(state),
    stopWaiting() {
      beginClosing(state)
      state.effortPolicy.close()
    },
    close: () => closeSealing(state),
    stats: () => statsOfAll(state),
    trim(what) {
      headPool.trim(what)
      sealer.trim(what)
    },
    bytes: () => bytesOf(state),
    columnBytes: () => persistence.columnBytes(),
    unload: () => persistence.unload(),
    oldestDay: () => oldestDay(state),
    daysBefore: (day) => daysBefore(state, day),
    drop: (day, extent, limit) => drop(state, day, extent, limit),
    segments: (source) =>
      source === undefined
        ? [...state.tables.values()].flatMap(({ segments }) => segments)
        : (state.tables.get(source)?.segments ?? []),
    closeHead: (source, project) => closeHead(state, source, project),
    hasHead: (source, lastHead) => hasHead(state, source, lastHead),
    removeRows: (segment, keptOf) => removeRows(state, segment, keptOf),
    noteChange: (source) => void tableOf(state, source).revision++,
    revision: (source) => state.tables.get(source)?.revision ?? 0,
    setAside: (segment) => setAside(state, segment),
  }
}

function statsOfAll({ tables, headPool }: StoreState): SourceStats[] {
  return [...tables.values()].map((table) => {
    const stats = statsOf(table)
    return { ...stats, headBytes: stats.headBytes + headPool.bytes(table.source) }
  })
}

/** Called with each batch, so this function does not loop over segments. */
function bytesOf({ persistence, sealer, headPool, tables }: StoreState): number {
  let bytes = persistence.columnBytes() + sealer.bytes() + headPool.bytes()
  for (const table of tables.values()) for (const head of headsOf(table)) bytes += bytesOfOpenBatch(head)
  return bytes
}
