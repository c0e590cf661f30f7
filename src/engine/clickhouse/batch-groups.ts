import type { Clock } from '../../base/clock.js'
import { createSerialQueue } from '../../base/serial-queue.js'
import { MIB } from '../../base/units.js'
import type { SourceName } from '../../sources.js'
import type { Trouble } from '../disk/files/disk-retry.js'
import type { Files } from '../disk/files/files.js'
import type { Journal } from '../disk/journal/writer.js'
import type { IngestBatch } from '../engine.js'
import type { BatchGroup } from './delivery.js'
import { batchNumber, createGroupJournal } from './group-journals.js'
import { toNative } from './native.js'

/** A group that takes more. */
interface OpenGroup {
  group: BatchGroup & { first: { batch: bigint; blocks: Uint8Array[] } }
  journal: Journal
  startedMs: number
}

export interface BatchGroupLimits {
  /** A group is sent once it is so old and its source has no other under way, or it has so many rows or bytes of blocks. */
  ageMs: number
  rows: number
  bytes: number
}

/** A row must be seen within a second of its arrival, and the server takes few large inserts better than many small ones. */
export const BATCH_GROUP_LIMITS: BatchGroupLimits = { ageMs: 250, rows: 100_000, bytes: 16 * MIB }

export interface BatchGroups {
  /** Names all groups to come behind one that is there already. */
  startAfter(group: Pick<BatchGroup, 'arrivedUs'>): void
  /** Writes a batch to the journal of its source's open group; resolves when it outlives this process. */
  append(batch: IngestBatch): Promise<void>
  /** The groups that still take more. */
  openGroups(): BatchGroup[]
  /** Closes the groups that are due, or all. */
  closeDue(all?: boolean): Promise<void>
  /** Makes what was appended survive a power cut. */
  sync(): Promise<void>
}

interface Parts {
  files: Files
  clock: Clock
  trouble: Trouble
  /** Whether a group of the source is under way: then another one would only wait, and grows instead. */
  isBusy(source: SourceName): boolean
  /** Is given each group when it is closed. */
  closed(group: BatchGroup): void
  limits: BatchGroupLimits
}

/** Gathers batches into groups, one open group a source. */
export function createBatchGroups({ files, clock, trouble, isBusy, closed, limits }: Parts): BatchGroups {
  const open = new Map<SourceName, OpenGroup>()
  const turns = createSerialQueue()
  let lastArrivedUs = 0

  function begin(source: SourceName): OpenGroup {
    // No two groups of a process have the same time, whatever the clock does.
    lastArrivedUs = Math.max(lastArrivedUs + 1, clock.nowUs())
    const { journal, group } = createGroupJournal(files, { source, arrivedUs: lastArrivedUs })
    const first = { batch: batchNumber(journal.marker), blocks: [] }
    const started = { group: { ...group, first }, journal, startedMs: clock.monotonicMs() }
    open.set(source, started)
    return started
  }

  function close({ group }: OpenGroup): void {
    open.delete(group.source)
    closed(group)
  }

  async function tryToAppend(batch: IngestBatch): Promise<void> {
    const started = open.get(batch.source) ?? begin(batch.source)
    const { group, journal } = started
    const { block } = toNative(batch, { arrivedUs: group.arrivedUs, batch: group.first.batch, firstRow: group.rows })
    await journal.append(batch)
    group.first.blocks.push(block)
    group.rows += batch.rows
    group.bytes += block.length
    if (group.rows >= limits.rows || group.bytes >= limits.bytes) close(started)
  }

  return {
    startAfter({ arrivedUs }) {
      lastArrivedUs = Math.max(lastArrivedUs, arrivedUs)
    },
    // A turn is one try: where the disk is in trouble, what was written before it is still closed and sent.
    append: (batch) => trouble.outlast(() => turns.run(() => tryToAppend(batch))),
    openGroups: () => [...open.values()].map(({ group }) => group),
    closeDue: (all = false) =>
      turns.run(async () => {
        for (const started of [...open.values()]) {
          const { group, startedMs } = started
          const isDue = !isBusy(group.source) && clock.monotonicMs() - startedMs >= limits.ageMs
          if (group.rows > 0 && (all || isDue)) close(started)
        }
      }),
    async sync() {
      await Promise.all([...open.values()].map(({ journal }) => journal.sync()))
    },
  }
}
