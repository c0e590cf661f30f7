import { type Clock, systemClock } from '../../../../base/clock.js'
import { createSerialQueue } from '../../../../base/serial-queue.js'
import { SOURCE_NAMES, type SourceName } from '../../../../sources.js'
import type { IngestBatch, SourceStats } from '../../../engine.js'
import type { TimeRange } from '../../../plan.js'
import { overlaps, type Part } from '../../columns/batch.js'
import { createHead, decodeBatch, type Head, headBytes, headContentBytes, showHead } from '../head/head.js'
import { createSpare } from '../head/head-pool.js'
import { createMemoryKeeper, type HeadKeeper, type Keeper } from '../persistence/persistence.js'
import type { Patience } from '../sealing/cancellation.js'
import { createPace } from '../sealing/effort.js'
import { createSealerHere, type Sealer } from '../sealing/sealer.js'
import type { SegmentHandle } from '../segment/handle.js'
import { holdSealedRows } from '../segment/segment.js'
import { createReaders } from './active-readers.js'
import { createShelf, headsOf, type Sealing, type Shelf, statsOf, takeFrom } from './source-table.js'

export interface StoreOptions {
  /** Where rows are kept beyond memory; by default nowhere. */
  keeper?: Keeper
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
  reopen(source: SourceName, kept: HeadKeeper, replay: Replay): Promise<void>
  /** Seals the heads whose rows are in danger where they are kept. */
  sealFailing(): void
  /** The rows of a source at this moment; of those outside of a range only what shares a part with others. */
  view(source: SourceName, range?: TimeRange): View
  /**
   * Lends what seals heads to other work, which is to end when its patience does: as soon as a head waits. Does nothing while one
   * is being sealed, or when rows have come in a flood a moment ago.
   */
  inQuiet(work: (sealer: Sealer, patience: Patience) => Promise<void>): Promise<void>
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
  const { sealRows, sealBytes, keeper = createMemoryKeeper(), onDrop = () => {}, onAppend = () => {} } = options
  const { sealer = createSealerHere(), clock = systemClock } = options
  const shelves = new Map(SOURCE_NAMES.map((source) => [source, createShelf(source)]))
  const readers = createReaders()
  /** One head is sealed while the one before it is written: a disk takes its time, and no processor's. */
  const sealing = createSerialQueue()
  /** A head that could not be written leaves its rows visible where they are. */
  const writing = createSerialQueue()
  const backlog: Promise<void>[] = []
  const pace = createPace(clock)
  const spare = createSpare()

  /**
   * Begins to seal the open head, or a part of what is kept with it. Who does not wait for it need not catch: rows that
   * cannot be sealed stay where they are, and so does what keeps them. Rows that came slowly are sealed well, until another head waits.
   */
  const sealShelf = (shelf: Shelf, extent: 'all' | 'part' = 'all', isSlow = false): Promise<void> => {
    const patience = pace.forHead(isSlow, backlog.length > 0)
    const full: Sealing = { head: shelf.head, kept: shelf.kept! }
    const { head, kept } = full
    shelf.sealing.push(full)
    shelf.head = createHead(shelf.source)
    if (extent === 'all') shelf.kept = undefined
    const rows = sealing.run(async () => (head.rows > 0 ? sealer.seal(head, patience) : []))
    const sealed = writing.run(async () => {
      const sealedRows = await rows
      for (const segment of await kept.write(sealedRows.map(holdSealedRows))) shelf.segments.push(segment)
      shelf.sealing.splice(shelf.sealing.indexOf(full), 1)
      head.isOpen = false
      letGo(head)
      const isWhole = !shelf.sealing.some((other) => other.kept === kept)
      if (extent === 'all' && isWhole) await kept.commit()
    })
    backlog.push(sealed)
    const done = () => void backlog.splice(backlog.indexOf(sealed), 1)
    sealed.then(done, done)
    return sealed
  }

  /** The head for the next rows. One that is empty moves to memory that is spare. */
  const openHead = (shelf: Shelf): Head => {
    if (shelf.head.rows === 0) {
      shelf.head = spare.take(shelf.source) ?? shelf.head
      shelf.headSinceMs = clock.monotonicMs()
    }
    return shelf.head
  }

  /** Its memory is spare when the segments stand for its rows and the last who reads it has left. */
  const letGo = (head: Head) => {
    if (!head.isOpen && head.readers === 0) spare.keep(head)
  }

  const isFull = (head: Head) => head.rows >= sealRows || headContentBytes(head) >= sealBytes

  const keepAndShow = async (shelf: Shelf, batch: IngestBatch): Promise<void> => {
    const show = decodeBatch(batch)
    shelf.kept ??= keeper.openHead(shelf.source)
    await shelf.kept.append(batch)
    const head = openHead(shelf)
    const firstRow = head.rows
    show(head)
    onAppend(head, firstRow)
    if (isFull(head)) void sealShelf(shelf, 'all', pace.isSlow(headContentBytes(head), shelf.headSinceMs))
  }

  const stats = (): SourceStats[] =>
    [...shelves.values()].map((shelf) => {
      const held = statsOf(shelf)
      return { ...held, headBytes: held.headBytes + spare.bytes(shelf.source) }
    })

  const settled = async () => {
    await Promise.all([...shelves.values()].map(({ turns }) => turns.settled()))
    await writing.settled()
  }

  return {
    async append(batch) {
      const shelf = shelves.get(batch.source)!
      await shelf.turns.run(() => keepAndShow(shelf, batch))
      if (backlog.length > SEALING_BACKLOG) await backlog[backlog.length - SEALING_BACKLOG - 1]
    },
    adopt(segment) {
      shelves.get(segment.source)!.segments.push(segment)
    },
    async reopen(source, kept, replay) {
      const shelf = shelves.get(source)!
      if (shelf.head.rows > 0) void sealShelf(shelf)
      shelf.kept = kept
      let isLong = false
      const isKept = await replay((batch) => {
        decodeBatch(batch)(openHead(shelf))
        if (!isFull(shelf.head)) return
        isLong = true
        void sealShelf(shelf, 'part')
      })
      if (!isKept) shelf.kept = undefined
      else if (isLong) void sealShelf(shelf)
    },
    sealFailing() {
      for (const shelf of shelves.values()) {
        if (!shelf.kept?.isFailing()) continue
        void shelf.turns.run(async () => {
          if (shelf.head.rows > 0 && shelf.kept?.isFailing()) void sealShelf(shelf)
        })
      }
    },
    view(source, range = ALWAYS) {
      const shelf = shelves.get(source)!
      const heads = headsOf(shelf).filter(({ rows }) => rows > 0)
      for (const read of heads) read.readers++
      const leave = readers.enter()
      const release = () => {
        for (const read of heads.splice(0)) {
          read.readers--
          letGo(read)
        }
        leave()
      }
      const total = shelf.segments.length + heads.length
      const parts: Part[] = shelf.segments.filter((segment) => overlaps(segment, range))
      parts.push(...heads.map(showHead).filter((head) => overlaps(head, range)))
      return { parts, total, release }
    },
    async inQuiet(work) {
      const patience = backlog.length > 0 ? undefined : pace.forOther()
      if (patience !== undefined) await sealing.run(() => work(sealer, patience))
    },
    async sealAll() {
      const sealed: Promise<void>[] = []
      const begin = async (shelf: Shelf) => {
        if (shelf.head.rows > 0) sealed.push(sealShelf(shelf))
      }
      await Promise.all([...shelves.values()].map((shelf) => shelf.turns.run(() => begin(shelf))))
      await Promise.all(sealed)
      await writing.settled()
    },
    settled,
    async close() {
      pace.close()
      await settled()
      await sealing.settled()
      await sealer.close()
    },
    stats,
    trim(what) {
      spare.trim(what)
      sealer.trim(what)
    },
    // Asked with each batch: what there is much of is not added up here.
    bytes() {
      let bytes = keeper.columnBytes() + sealer.bytes() + spare.bytes()
      for (const shelf of shelves.values()) for (const head of headsOf(shelf)) bytes += headBytes(head)
      return bytes
    },
    columnBytes: () => keeper.columnBytes(),
    unload: () => keeper.unload(),
    oldestDay() {
      let oldest: number | undefined
      for (const { segments } of shelves.values()) {
        for (const { day } of segments) if (oldest === undefined || day < oldest) oldest = day
      }
      return oldest
    },
    drop(day, extent) {
      const dropped = [...shelves.values()].map((shelf) => ({ shelf, segments: takeFrom(shelf, day, extent) }))
      const segments = dropped.flatMap(({ segments }) => segments)
      keeper.drop(segments, readers.left())
      onDrop(segments)
      return dropped
        .filter(({ segments }) => segments.length > 0)
        .map(({ shelf, segments }) => ({
          source: shelf.source,
          rows: segments.reduce((sum, { rows }) => sum + rows, 0),
          wholeDay: shelf.segments.every((segment) => segment.day !== day),
        }))
    },
  }
}
