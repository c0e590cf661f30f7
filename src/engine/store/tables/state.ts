import { createSerialQueue, type SerialQueue } from '../../../base/scheduling/serial-queue.js'
import { type Clock, systemClock } from '../../../base/time/clock.js'
import { allSourceNames, type SourceName } from '../../../common/sources.js'
import type { Part } from '../../execute/columns/batch.js'
import type { OpenBatch } from '../../execute/open-batch/open-batch.js'
import { type Hiding, NO_HIDING } from '../hiding/hiding.js'
import { createMemoryPersistence, type Persistence } from '../persistence/persistence.js'
import { createEffortPolicy, type EffortPolicy } from '../sealing/effort.js'
import type { Sealer } from '../sealing/sealer.js'
import { type ActiveReaders, createActiveReaders } from './active-readers.js'
import { createHeadPool, type HeadPool } from './head-pool.js'
import { NO_KEEPER, type SegmentKeeper } from './keeper.js'
import { createSourceTable, type SourceTable } from './source-table.js'

/** Settings of a store. */
export interface StoreOptions {
  /** Persists rows. By default, rows are in memory only. */
  persistence?: Persistence
  /** A head is sealed once it has this many rows or bytes. */
  sealRows: number
  sealBytes: number
  /** Bytes of heads that may wait while another head is sealed and rows are appended. By default, no head waits. */
  backlogBytes?: number
  /** Whether heads read the texts of large batches in place. By default, heads copy these texts. */
  holdsBatches?: boolean
  /** Seals heads. The store closes the sealer. */
  sealer: Sealer
  clock?: Pick<Clock, 'monotonicMs' | 'nowUs'>
  /** Decides which rows are hidden. By default, none are. */
  hiding?: Hiding
  /** Tells which segments are not to be dropped yet. */
  keeper?: SegmentKeeper
  /** Called with parts that no later query reads: segments that were dropped, and heads that were sealed. */
  onDrop?(parts: readonly Pick<Part, 'owner'>[]): void
  /** Called with a head after rows were appended, from `firstRow` on. */
  onAppend?(head: OpenBatch, firstRow: number): void
}

/** A head that is being sealed or written. */
interface BacklogHead {
  /** The memory of the head. */
  bytes: number
  /** Settles when the head is sealed and written. */
  done: Promise<void>
}

/** The state of a store, which the functions of this folder share. */
export interface StoreState extends Required<StoreOptions> {
  /** The tables of the known sources, the nine first. Read a table with `tableOf`, which adds missing ones. */
  readonly tables: Map<SourceName, SourceTable>
  readonly readers: ActiveReaders
  /**
   * Runs the sealer, one head at a time. A head is sealed while the previous head is written: a disk needs no
   * processor.
   */
  readonly sealing: SerialQueue
  /** Writes sealed heads, one at a time. A head that could not be written stays visible. */
  readonly writing: SerialQueue
  /** Removes rows from segments, one segment at a time: a segment is never replaced twice. */
  readonly removing: SerialQueue
  /** Heads that are being sealed or written, oldest first. */
  readonly backlog: BacklogHead[]
  readonly effortPolicy: EffortPolicy
  readonly headPool: HeadPool
  /** Whether heads with old rows are being sealed, see `sealOldHeads`. */
  isSealingOldHeads: boolean
  /**
   * Set when the service stops: from then on, no head is sealed because of old rows, and a head that cannot be sealed
   * is no reason to refuse more rows.
   */
  isClosing: boolean
  /** From this time of the monotonic clock on, heads that wait for the sealer stay in their journals. */
  sealUntilMs: number
}

/** Returns the state of a store without rows. */
export function createStoreState(options: StoreOptions): StoreState {
  const { sealRows, sealBytes, backlogBytes = 0, holdsBatches = false, sealer, clock = systemClock } = options
  const {
    persistence = createMemoryPersistence(),
    onDrop = () => {},
    onAppend = () => {},
    keeper = NO_KEEPER,
    hiding = NO_HIDING,
  } = options
  return {
    persistence,
    sealRows,
    sealBytes,
    backlogBytes,
    holdsBatches,
    sealer,
    clock,
    keeper,
    hiding,
    onDrop,
    onAppend,
    tables: new Map(allSourceNames().map((source) => [source, createSourceTable(source)])),
    readers: createActiveReaders(),
    sealing: createSerialQueue(),
    writing: createSerialQueue(),
    removing: createSerialQueue(),
    backlog: [],
    effortPolicy: createEffortPolicy(clock),
    headPool: createHeadPool(),
    isSealingOldHeads: false,
    isClosing: false,
    sealUntilMs: Number.POSITIVE_INFINITY,
  }
}

/** Returns the table of a source. A source that became known after the start of the store has an empty one at first. */
export function tableOf({ tables }: Pick<StoreState, 'tables'>, source: SourceName): SourceTable {
  const existing = tables.get(source)
  if (existing !== undefined) return existing
  const table = createSourceTable(source)
  tables.set(source, table)
  return table
}

/** Returns a head's memory to the pool, if the head is sealed and no query reads it any more. */
export function recycleHead({ headPool }: StoreState, head: OpenBatch): void {
  if (!head.isOpen && head.readers === 0) headPool.put(head)
}
