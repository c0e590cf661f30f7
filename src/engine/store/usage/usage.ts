import { createQueryYielder } from '../../../base/memory/memory-budget.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { allSourceNames, type SourceName } from '../../../common/sources.js'
import type { Engine } from '../../engine.js'
import { bytesOfOpenBatch } from '../../execute/open-batch/open-batch.js'
import { createUsageSums, type UsageSums } from '../../usage.js'
import type { HeldRows } from '../tables/view.js'
import { type ProjectRows, rowsOfHead, rowsOfIndex } from './counts.js'
import type { ProjectIndexes } from './project-indexes.js'

/** The rows that are counted. */
interface UsageStore {
  holdRows(source: SourceName): HeldRows
}

/**
 * Returns {@link Engine.usage} over a store: reads the index of projects of each segment of the days, and loops over
 * the rows of heads. A damaged segment is left out.
 */
export function createUsage(store: UsageStore, indexes: ProjectIndexes): Engine['usage'] {
  return async ({ source, ...wanted }, { signal, memory }) => {
    const sums = createUsageSums(wanted, memory)
    const yieldIfDue = createQueryYielder(memory, signal)
    for (const one of source === undefined ? allSourceNames() : [source]) {
      const held = store.holdRows(one)
      try {
        await addSegments(held, sums, indexes, yieldIfDue)
        await addHeads(one, held, sums, yieldIfDue)
      } finally {
        held.release()
      }
    }
    return sums.sorted()
  }
}

async function addSegments(
  { segments }: Pick<HeldRows, 'segments'>,
  sums: UsageSums,
  indexes: ProjectIndexes,
  yieldIfDue: Yielder,
): Promise<void> {
  for (const segment of segments) {
    const { source, day, rows, fileBytes } = segment
    if (!sums.isWanted(day)) continue
    const index = await indexes.of(segment)
    if (index !== undefined) addShares(sums, source, rowsOfIndex(index, day), { rows, bytes: fileBytes })
    await yieldIfDue()
  }
}

async function addHeads(
  source: SourceName,
  { heads }: Pick<HeldRows, 'heads'>,
  sums: UsageSums,
  yieldIfDue: Yielder,
): Promise<void> {
  for (const head of heads) {
    const whole = { rows: head.rows, bytes: bytesOfOpenBatch(head) }
    addShares(sums, source, await rowsOfHead(head, yieldIfDue), whole)
    await yieldIfDue()
  }
}

/** Shares out the bytes of a segment or a head by rows, in whole bytes: the shares add up to all bytes. */
function addShares(
  sums: UsageSums,
  source: SourceName,
  shares: Iterable<ProjectRows>,
  whole: { rows: number; bytes: number },
): void {
  const bytesBefore = (rows: number) => Math.floor((rows / whole.rows) * whole.bytes)
  let before = 0
  for (const { project, day, rows } of shares) {
    const bytes = bytesBefore(before + rows) - bytesBefore(before)
    before += rows
    // The empty text is no project, as in every list of projects.
    sums.add({ project: project || undefined, source, day, rows, bytes })
  }
}
