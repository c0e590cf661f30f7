import type { RowLimits } from '../../deletion.js'
import type { Batch } from '../../execute/columns/batch.js'
import { isDamage } from '../../execute/columns/damage.js'
import { range, type Selection } from '../../execute/columns/selection.js'
import { newerRows } from '../hiding/limited-rows.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { SegmentKeeper } from '../tables/keeper.js'
import type { Store } from '../tables/store.js'
import type { ProjectIndexes } from '../usage/project-indexes.js'
import { type Due, dueProjects } from './due-projects.js'

/** The parts of an engine that the removal of rows past their limits needs. */
export interface ExpireContext {
  store: Pick<Store, 'segments' | 'removeRows'>
  limits: RowLimits
  indexes: ProjectIndexes
  keeper: SegmentKeeper
  /** Runs work on segments in succession, at low priority. Rejects with the reason of the signal. */
  turn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Called with the rows that were removed from a segment. */
  onRemoved(segment: SegmentHandle, rows: number): void
}

/** Removes the rows that are past the limit of their project. */
export interface Expiry {
  /**
   * Removes the due rows of the oldest UTC day that has some: a clock that jumps ahead removes a day and not all days.
   * Does nothing while an earlier call runs. Rejects with the reason of the signal, or with the system's error.
   */
  removeDay(settledUs: number, signal: AbortSignal): Promise<void>
}

/** When a segment is looked at again. */
interface Look {
  /** The revision of the limits. */
  revision: number
  settledUs: number
}

/** Returns a removal that has looked at no segment yet. */
export function createExpiry(context: ExpireContext): Expiry {
  const looks = new WeakMap<object, Look>()
  let isRunning = false
  return {
    async removeDay(settledUs, signal) {
      if (isRunning) return
      isRunning = true
      try {
        await removeOldestDay(context, looks, settledUs, signal)
      } finally {
        isRunning = false
      }
    },
  }
}

async function removeOldestDay(
  context: ExpireContext,
  looks: WeakMap<object, Look>,
  settledUs: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, limits, indexes, turn } = context
  const isLooked = ({ owner, source, minUs }: SegmentHandle) => {
    if (minUs > limits.newestHiddenUs(source, settledUs)) return true
    const look = looks.get(owner)
    return look !== undefined && look.revision === limits.revision && settledUs < look.settledUs
  }
  const open = store.segments().filter((segment) => !isLooked(segment))
  for (const day of [...new Set(open.map((segment) => segment.day))].sort((a, b) => a - b)) {
    const [whole, others] = [[] as SegmentHandle[], [] as SegmentHandle[]]
    for (const segment of open.filter((one) => one.day === day)) {
      signal.throwIfAborted()
      const index = await indexes.of(segment)
      // A damaged segment is set aside.
      if (index === undefined) continue
      const { due, nextInUs } = dueProjects(segment, index, throughUsOf(segment, limits, settledUs))
      const nextUs = Math.min(settledUs + nextInUs, limits.nextRulesUs(settledUs))
      if (due === 'none') looks.set(segment.owner, { revision: limits.revision, settledUs: nextUs })
      else (due === 'all' ? whole : others).push(segment)
    }
    let isRemoved = false
    const remove = async (segment: SegmentHandle, due: Due) => {
      if (await turn(() => removeFrom(segment, due, context, settledUs), signal)) isRemoved = true
    }
    // Whole segments cost little.
    for (const segment of whole) await remove(segment, 'all')
    for (const segment of others) await remove(segment, 'some')
    if (isRemoved) return
  }
}

/** Returns the time through which rows of a project, or without a project, may be removed from a segment. */
const throughUsOf =
  ({ source }: SegmentHandle, limits: RowLimits, settledUs: number) =>
  (project: string | undefined): number =>
    limits.removableThroughUs(source, project, settledUs)

/** Removes the rows of a segment that are past their limits. Returns false if they must stay for now. */
async function removeFrom(
  segment: SegmentHandle,
  due: Due,
  { store, limits, keeper, onRemoved }: ExpireContext,
  settledUs: number,
): Promise<boolean> {
  if (!keeper.mayDrop(segment, 'retention')) return false
  const throughUs = throughUsOf(segment, limits, settledUs)
  const keptOf = async (batch: Batch): Promise<Selection> => newerRows(batch, range(0, batch.rows, false), throughUs)
  try {
    const removed = await store.removeRows(segment, due === 'all' ? 'none' : keptOf)
    if (removed !== undefined) onRemoved(segment, removed.rows)
    return removed !== undefined
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}
