import type { Clock } from '../../base/clock.js'
import { createTurns } from '../../base/turns.js'
import { MIB } from '../../base/units.js'
import type { SourceName } from '../../sources.js'
import type { Files } from '../disk/files.js'
import type { Journal } from '../disk/journal/writer.js'
import type { Trouble } from '../disk/trouble.js'
import type { IngestBatch } from '../engine.js'
import { toNative } from './native.js'
import { createUnconfirmed, type Name } from './unconfirmed.js'

/** Batches of a source that are sent together and confirmed together. */
export interface Group extends Name {
  rows: number
  bytes: number
  /** What the first try sends; undefined where an earlier process may have tried: then its file says what is to be sent. */
  first?: { batch: bigint; blocks: readonly Uint8Array[]; journal: Journal }
}

/** A group that takes more. */
interface OpenGroup extends Group {
  first: { batch: bigint; blocks: Uint8Array[]; journal: Journal }
  beganMs: number
}

export interface GroupLimits {
  /** A group is sent once it is so old and its source has no other under way, or it has so many rows or bytes of blocks. */
  ageMs: number
  rows: number
  bytes: number
}

/** A row must be seen within a second of its arrival, and the server takes few large inserts better than many small ones. */
export const GROUP_LIMITS: GroupLimits = { ageMs: 250, rows: 100_000, bytes: 16 * MIB }

export interface Groups {
  /** Names all groups to come behind one that is there already. */
  beginAfter(name: Name): void
  /** Writes a batch to the journal of its source's open group; resolves when it outlives this process. */
  append(batch: IngestBatch): Promise<void>
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
  closed(group: Group): void
  limits: GroupLimits
}

/** Gathers batches into groups, one open group a source. */
export function createGroups({ files, clock, trouble, isBusy, closed, limits }: Parts): Groups {
  const open = new Map<SourceName, OpenGroup>()
  const turns = createTurns()
  let lastArrivedUs = 0

  function begin(source: SourceName): OpenGroup {
    // No two groups of a process have the same time, whatever the clock does.
    lastArrivedUs = Math.max(lastArrivedUs + 1, clock.nowUs())
    const name = { source, arrivedUs: lastArrivedUs }
    const journal = createUnconfirmed(files, name)
    const first = { batch: batchOf(journal.marker), blocks: [], journal }
    const group = { ...name, rows: 0, bytes: 0, first, beganMs: clock.monotonicMs() }
    open.set(source, group)
    return group
  }

  function close(group: OpenGroup): void {
    open.delete(group.source)
    closed(group)
  }

  async function tryToAppend(batch: IngestBatch): Promise<void> {
    const group = open.get(batch.source) ?? begin(batch.source)
    const { arrivedUs, first } = group
    const { block } = toNative(batch, { arrivedUs, batch: first.batch, firstRow: group.rows })
    await first.journal.append(batch)
    first.blocks.push(block)
    group.rows += batch.rows
    group.bytes += block.length
    if (group.rows >= limits.rows || group.bytes >= limits.bytes) close(group)
  }

  return {
    beginAfter({ arrivedUs }) {
      lastArrivedUs = Math.max(lastArrivedUs, arrivedUs)
    },
    // A turn is one try: where the disk is in trouble, what was written before it is still closed and sent.
    append: (batch) => trouble.outlast(() => turns.take(() => tryToAppend(batch))),
    closeDue: (all = false) =>
      turns.take(async () => {
        for (const group of [...open.values()]) {
          const isDue = !isBusy(group.source) && clock.monotonicMs() - group.beganMs >= limits.ageMs
          if (group.rows > 0 && (all || isDue)) close(group)
        }
      }),
    async sync() {
      await Promise.all([...open.values()].map(({ first }) => first.journal.sync()))
    },
  }
}

/** The number that names a file's batches on the server. */
export function batchOf(marker: Uint8Array): bigint {
  return Buffer.from(marker).readBigUInt64LE()
}
