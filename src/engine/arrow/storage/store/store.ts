import { type Clock, systemClock } from '../../../../base/clock.js'
import { createSerialQueue } from '../../../../base/serial-queue.js'
import { SOURCE_NAMES, type SourceName } from '../../../../sources.js'
import type { IngestBatch, SourceStats } from '../../../engine.js'
import type { TimeRange } from '../../../plan.js'
import { overlaps, type Part } from '../../columns/batch.js'
import { createHead, decodeBatch, type Head, headBytes, headContentBytes, partOfHead } from '../head/head.js'
import { createHeadPool } from '../head/head-pool.js'
import { createMemoryPersistence, type HeadPersistence, type Persistence } from '../persistence/persistence.js'
import type { CancellationFlag } from '../sealing/cancellation.js'
import { createEffortPolicy } from '../sealing/effort.js'
import { createSealerHere, type Sealer } from '../sealing/sealer.js'
import type { SegmentHandle } from '../segment/handle.js'
import { segmentOfSealedRows } from '../segment/segment.js'
import { createActiveReaders } from './active-readers.js'
import { createSourceTable, headsOf, type Sealing, type SourceTable, statsOf, takeFrom } from './source-table.js'

export interface StoreOptions {
  /** Where rows are kept beyond memory; by default nowhere. */
  persistence?: Persistence
  /** A head is sealed once it holds so many rows or bytes. */
  sealRows: number
  sealBytes: number
  /** What seals heads; by default this thread. It is the store's. */
  sealer?: Sealer
  clock?: Pick<Clock, 'monotonicMs'>
  /** Is told which sealed segments are not held any more. */
  onDrop?(segments: readonly SegmentHandle[]): void
  /** Is told of a head whose rows from `firstRow` on have just been appended. */
  onAppend?(head: Head, firstRow: number): void
}

/** Shows the rows of an earlier process's head batch by batch; resolves with whether there is anything to append to. */
export type Replay = (show: (batch: IngestBatch) => void) => Promise<boolean>

/** What went of a UTC day of one source. */
export interface Dropped {
  source: SourceName
  rows: number
  /** Whether the day has no sealed segment left. */
  wholeDay: boolean
}

/** Rows of a source at one moment, in order of arrival; later appends leave them alone. */
export interface View {
  parts: readonly Part[]
  /** How many parts there are, also those that it does not show. */
  total: number
  /** The batches are not read any more: memory of open rows may be used again. */
  release(): void
}

export interface Store {
  /**
   * Keeps a batch, shows it, and seals its head where that is full; batches of a source in the order of the calls.
   * Resolves when there is room for more.
   */
  append(batch: IngestBatch): Promise<void>
  /** Takes in a segment that was sealed by an earlier process. */
  adopt(segment: SegmentHandle): void
  /**
   * Takes in the head of an earlier process as the open head of its source; an older one is sealed. One that is longer than
   * a head may be here is sealed in parts while it is read.
   */
  reopen(source: SourceName, kept: HeadPersistence, replay: Replay): Promise<void>
  /** Seals the heads whose rows are in danger where they are kept. */
  sealFailing(): void
  /** The rows of a source at this moment; of those outside of a range only what shares a part with others. */
  view(source: SourceName, range?: TimeRange): View
  /**
   * Lends what seals heads to other work, which is to end when its cancellation does: as soon as a head waits. Does nothing while one
   * is being sealed, or when rows have come in a flood a moment ago.
   */
  whenIdle(work: (sealer: Sealer, cancellation: CancellationFlag) => Promise<void>): Promise<void>
  /** Seals every head that holds a row. */
  sealAll(): Promise<void>
  /** Resolves when what has been asked for is appended, and no head is being sealed. */
  settled(): Promise<void>
  /** Lets go of what seals, when nothing is being sealed. */
  close(): Promise<void>
  stats(): SourceStats[]
  bytes(): number
  /** Bytes that columns of sealed segments take. */
  columnBytes(): number
  /** Lets go of memory that is kept for the next head: all of it, or what has not been used since the last call. */
  trim(what: 'idle' | 'all'): void
  /** Lets go of the columns of the segment that has not been opened for the longest time; whether there was one. */
  unload(): boolean
  /** The oldest day that a sealed segment holds, of any source. */
  oldestDay(): number | undefined
  /** Drops the sealed segments of one day; or only the oldest segment of each source in it. */
  drop(day: number, extent: 'day' | 'oldest segments'): Dropped[]
}

const ALWAYS: TimeRange = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/** So many heads may wait to be sealed before those who append are held back. */
const SEALING_BACKLOG = 1

export function createStore(options: StoreOptions): Store {
  const {
    sealRows,
    sealBytes,
    persistence = createMemoryPersistence(),
    onDrop = () => {},
    onAppend = () => {},
  } = options
  const { sealer = createSealerHere(), clock = systemClock } = options
  const tables = new Map(SOURCE_NAMES.map((source) => [source, createSourceTable(source)]))
  const readers = createActiveReaders()
  /** One head is sealed while the one before it is written: a disk takes its time, and no processor's. */
  const sealing = createSerialQueue()
  /** A head that could not be written leaves its rows visible where they are. */
  const writing = createSerialQueue()
  const backlog: Promise<void>[] = []
  const effortPolicy = createEffortPolicy(clock)
  const headPool = createHeadPool()

  /**
   * Begins to seal the open head, or a part of what is kept with it. Who does not wait for it need not catch: rows that
   * cannot be sealed stay where they are, and so does what keeps them. Rows that came slowly are sealed well, until another head waits.
   */
  const sealTable = (table: SourceTable, extent: 'all' | 'part' = 'all', isSlow = false): Promise<void> => {
    const cancellation = effortPolicy.forHead(isSlow, backlog.length > 0)
    const full: Sealing = { head: table.head, kept: table.kept! }
    const { head, kept } = full
    table.sealing.push(full)
    table.head = createHead(table.source)
    if (extent === 'all') table.kept = undefined
    const rows = sealing.run(async () => (head.rows > 0 ? sealer.seal(head, cancellation) : []))
    const sealed = writing.run(async () => {
      const sealedRows = await rows
      for (const segment of await kept.write(sealedRows.map(segmentOfSealedRows))) table.segments.push(segment)
      table.sealing.splice(table.sealing.indexOf(full), 1)
      head.isOpen = false
      letGo(head)
      const isWhole = !table.sealing.some((other) => other.kept === kept)
      if (extent === 'all' && isWhole) await kept.commit()
    })
    backlog.push(sealed)
    const done = () => void backlog.splice(backlog.indexOf(sealed), 1)
    sealed.then(done, done)
    return sealed
  }

  /** The head for the next rows. One that is empty moves to memory that is headPool. */
  const openHead = (table: SourceTable): Head => {
    if (table.head.rows === 0) {
      table.head = headPool.take(table.source) ?? table.head
      table.headSinceMs = clock.monotonicMs()
    }
    return table.head
  }

  /** Its memory is headPool when the segments stand for its rows and the last who reads it has left. */
  const letGo = (head: Head) => {
    if (!head.isOpen && head.readers === 0) headPool.put(head)
  }

  const isFull = (head: Head) => head.rows >= sealRows || headContentBytes(head) >= sealBytes

  const keepAndShow = async (table: SourceTable, batch: IngestBatch): Promise<void> => {
    const show = decodeBatch(batch)
    table.kept ??= persistence.openHead(table.source)
    await table.kept.append(batch)
    const head = openHead(table)
    const firstRow = head.rows
    show(head)
    onAppend(head, firstRow)
    if (isFull(head)) void sealTable(table, 'all', effortPolicy.isSlow(headContentBytes(head), table.headSinceMs))
  }

  const stats = (): SourceStats[] =>
    [...tables.values()].map((table) => {
      const held = statsOf(table)
      return { ...held, headBytes: held.headBytes + headPool.bytes(table.source) }
    })

  const settled = async () => {
    await Promise.all([...tables.values()].map(({ turns }) => turns.settled()))
    await writing.settled()
  }

  return {
    async append(batch) {
      const table = tables.get(batch.source)!
      await table.turns.run(() => keepAndShow(table, batch))
      if (backlog.length > SEALING_BACKLOG) await backlog[backlog.length - SEALING_BACKLOG - 1]
    },
    adopt(segment) {
      tables.get(segment.source)!.segments.push(segment)
    },
    async reopen(source, kept, replay) {
      const table = tables.get(source)!
      if (table.head.rows > 0) void sealTable(table)
      table.kept = kept
      let isLong = false
      const isKept = await replay((batch) => {
        decodeBatch(batch)(openHead(table))
        if (!isFull(table.head)) return
        isLong = true
        void sealTable(table, 'part')
      })
      if (!isKept) table.kept = undefined
      else if (isLong) void sealTable(table)
    },
    sealFailing() {
      for (const table of tables.values()) {
        if (!table.kept?.isFailing()) continue
        void table.turns.run(async () => {
          if (table.head.rows > 0 && table.kept?.isFailing()) void sealTable(table)
        })
      }
    },
    view(source, range = ALWAYS) {
      const table = tables.get(source)!
      const heads = headsOf(table).filter(({ rows }) => rows > 0)
      for (const read of heads) read.readers++
      const leave = readers.enter()
      const release = () => {
        for (const read of heads.splice(0)) {
          read.readers--
          letGo(read)
        }
        leave()
      }
      const total = table.segments.length + heads.length
      const parts: Part[] = table.segments.filter((segment) => overlaps(segment, range))
      parts.push(...heads.map(partOfHead).filter((head) => overlaps(head, range)))
      return { parts, total, release }
    },
    async whenIdle(work) {
      const cancellation = backlog.length > 0 ? undefined : effortPolicy.forOther()
      if (cancellation !== undefined) await sealing.run(() => work(sealer, cancellation))
    },
    async sealAll() {
      const sealed: Promise<void>[] = []
      const begin = async (table: SourceTable) => {
        if (table.head.rows > 0) sealed.push(sealTable(table))
      }
      await Promise.all([...tables.values()].map((table) => table.turns.run(() => begin(table))))
      await Promise.all(sealed)
      await writing.settled()
    },
    settled,
    async close() {
      effortPolicy.close()
      await settled()
      await sealing.settled()
      await sealer.close()
    },
    stats,
    trim(what) {
      headPool.trim(what)
      sealer.trim(what)
    },
    // Asked with each batch: what there is much of is not added up here.
    bytes() {
      let bytes = persistence.columnBytes() + sealer.bytes() + headPool.bytes()
      for (const table of tables.values()) for (const head of headsOf(table)) bytes += headBytes(head)
      return bytes
    },
    columnBytes: () => persistence.columnBytes(),
    unload: () => persistence.unload(),
    oldestDay() {
      let oldest: number | undefined
      for (const { segments } of tables.values()) {
        for (const { day } of segments) if (oldest === undefined || day < oldest) oldest = day
      }
      return oldest
    },
    drop(day, extent) {
      const dropped = [...tables.values()].map((table) => ({ table, segments: takeFrom(table, day, extent) }))
      const segments = dropped.flatMap(({ segments }) => segments)
      persistence.drop(segments, readers.drained())
      onDrop(segments)
      return dropped
        .filter(({ segments }) => segments.length > 0)
        .map(({ table, segments }) => ({
          source: table.source,
          rows: segments.reduce((sum, { rows }) => sum + rows, 0),
          wholeDay: table.segments.every((segment) => segment.day !== day),
        }))
    },
  }
}
