import { createSerialQueue } from '../../../base/scheduling/serial-queue.js'
import type { Clock } from '../../../base/time/clock.js'
import { MIB } from '../../../base/units.js'
import { isBuiltIn, type SourceName } from '../../../common/sources.js'
import { createFormatRaiser, ROWS_FORMAT } from '../../disk/directory/format.js'
import type { DiskRetry } from '../../disk/files/disk-retry.js'
import type { Files } from '../../disk/files/files.js'
import type { Journal } from '../../disk/journal/writer.js'
import type { IngestBatch } from '../../engine.js'
import type { BatchGroup } from './delivery.js'
import { batchNumber, createGroupJournal } from './group-journals.js'
import { type NativeBlock, toNative } from './native.js'

/** A group that accepts batches. */
interface OpenGroup {
  group: BatchGroup & { firstAttempt: { batch: bigint; blocks: NativeBlock[] } }
  journal: Journal
  startedMs: number
}

/** The limits at which a group is closed and sent. */
export interface BatchGroupLimits {
  /** Age at which the group is closed, unless another group of the source is being sent. */
  ageMs: number
  rows: number
  /** Bytes of the group's blocks. */
  bytes: number
}

/**
 * A row must be visible within a second of arrival. The server handles few large inserts better than many small
 * inserts.
 */
export const BATCH_GROUP_LIMITS: BatchGroupLimits = { ageMs: 250, rows: 100_000, bytes: 16 * MIB }

/** Collects batches into groups, at most one open group per source. */
export interface BatchGroups {
  /** Gives all later groups a time after the time of an existing group. */
  startAfter(group: Pick<BatchGroup, 'arrivedUs'>): void
  /**
   * Closes all open groups. Resolves with a time of arrival, in microseconds: rows that are appended from now on arrive
   * later.
   */
  cut(): Promise<number>
  /**
   * Writes a batch to the journal of the source's open group. Resolves when the batch would survive a crash of the
   * process.
   */
  append(batch: IngestBatch): Promise<void>
  /** Returns the groups that still accept batches. */
  openGroups(): BatchGroup[]
  /** Closes the groups that are due, or all. Empty groups stay open. */
  closeDue(all?: boolean): Promise<void>
  /** Calls fsync on the journals: the batches appended before then survive a power cut. */
  sync(): Promise<void>
}

interface BatchGroupsOptions {
  files: Files
  clock: Clock
  diskRetry: DiskRetry
  /**
   * Whether a group of the source is being sent. The next group then keeps growing, since the next group would have to
   * wait.
   */
  isBusy(source: SourceName): boolean
  /** Called with each group on close. */
  onClosed(group: BatchGroup): void
  limits: BatchGroupLimits
}

/** Creates {@link BatchGroups} without open groups. */
export function createBatchGroups(options: BatchGroupsOptions): BatchGroups {
  const { files, clock, diskRetry, isBusy, onClosed, limits } = options
  const open = new Map<SourceName, OpenGroup>()
  const queue = createSerialQueue()
  const raiseFormat = createFormatRaiser(files, ROWS_FORMAT)
  let lastArrivedUs = 0

  function begin(source: SourceName): OpenGroup {
    // Groups of a process have distinct times even if the clock jumps.
    lastArrivedUs = Math.max(lastArrivedUs + 1, clock.nowUs())
    const { journal, group } = createGroupJournal(files, { source, arrivedUs: lastArrivedUs })
    const firstAttempt = { batch: batchNumber(journal.marker), blocks: [] as NativeBlock[] }
    const started = { group: { ...group, firstAttempt }, journal, startedMs: clock.monotonicMs() }
    open.set(source, started)
    return started
  }

  function close({ group }: OpenGroup): void {
    open.delete(group.source)
    onClosed(group)
  }

  async function tryToAppend(batch: IngestBatch): Promise<void> {
    if (!isBuiltIn(batch.source)) await raiseFormat()
    const started = open.get(batch.source) ?? begin(batch.source)
    await appendTo(started, batch)
    const { group } = started
    if (group.rows >= limits.rows || group.bytes >= limits.bytes) close(started)
  }

  function closeDue(all: boolean): void {
    for (const started of [...open.values()]) {
      const { group, startedMs } = started
      const isDue = !isBusy(group.source) && clock.monotonicMs() - startedMs >= limits.ageMs
      if (group.rows > 0 && (all || isDue)) close(started)
    }
  }

  return {
    startAfter({ arrivedUs }) {
      lastArrivedUs = Math.max(lastArrivedUs, arrivedUs)
    },
    // Each retry is queued separately: while the disk fails, groups written before are still closed and sent.
    append: (batch) => diskRetry.retry(() => queue.run(() => tryToAppend(batch))),
    cut: () =>
      queue.run(async () => {
        closeDue(true)
        lastArrivedUs = Math.max(lastArrivedUs, clock.nowUs())
        return lastArrivedUs
      }),
    openGroups: () => [...open.values()].map(({ group }) => group),
    closeDue: (all = false) => queue.run(async () => closeDue(all)),
    async sync() {
      await Promise.all([...open.values()].map(({ journal }) => journal.sync()))
    },
  }
}

/** Writes a batch to the journal of a group, and adds the batch to the group. */
async function appendTo({ group, journal }: OpenGroup, batch: IngestBatch): Promise<void> {
  const { arrivedUs, firstAttempt, rows } = group
  const block = toNative(batch, { arrivedUs, batch: firstAttempt.batch, firstRow: rows })
  await journal.append(batch)
  batch.release?.()
  firstAttempt.blocks.push(block)
  group.rows += batch.rows
  group.bytes += block.bytes.length
}
