import { createQueryYielder, UNLIMITED_SHARE } from '../../../base/memory/memory-budget.js'
import type { Metrics } from '../../../base/metrics.js'
import type { Row } from '../../../plan/answer.js'
import type { Plan } from '../../../plan/plan.js'
import { schemaOf } from '../../../plan/schema.js'
import {
  type Engine,
  type GroupingLimits,
  limitsOf,
  limitsOfPlan,
  type ReadView,
  type RunOptions,
  type ScanStats,
} from '../../engine.js'
import type { RunContext } from '../../execute/batches/lazy-batch.js'
import type { Caches } from '../../execute/caches/caches.js'
import { createSharedFrames } from '../../execute/caches/shared-frames.js'
import { isDamage } from '../../execute/columns/damage.js'
import type { RunResult } from '../../execute/run/answer.js'
import { releasing, restarting } from '../../execute/run/row-iterator.js'
import { runPlan } from '../../execute/run/run-plan.js'
import type { StoredRows } from '../../execute/run/run-stage.js'
import { type PlanViews, takePlanViews } from '../tables/plan-views.js'
import type { Store } from '../tables/store.js'

/** The parts that runs of plans over a store need. */
export interface QueryContext {
  store: Store
  caches: Caches
  metrics: Pick<Metrics, 'scannedRows'>
  groupingLimits: GroupingLimits
  sliceRows: number
  readView: ReadView
}

/**
 * Returns {@link Engine.run} over a store. A run keeps its snapshot of the rows until its last row is read. If the run
 * finds damage in a segment, the run starts again over the other parts of the same snapshot.
 */
export function createRun(context: QueryContext): Engine['run'] {
  return async (plan, options = {}) => {
    schemaOf(plan)
    const views = takePlanViews(context.store, plan)
    const attempt = (again: boolean) => runOver(views, plan, { ...options, again }, context)
    try {
      const { rows, readsOn } = await pastDamage(attempt)
      const again = async () => (await pastDamage(() => attempt(true))).rows
      if (readsOn) return releasing(restarting(rows, again), views.release)
      views.release()
      return rows
    } catch (error) {
      views.release()
      throw error
    }
  }
}

/** Calls `attempt` until no damage is found. A damaged segment is found only once: then the segment is set aside. */
export async function pastDamage<T>(attempt: (again: boolean) => Promise<T>): Promise<T> {
  for (let again = false; ; again = true) {
    try {
      return await attempt(again)
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  }
}

/** Runs a plan over the parts of views. If the run is `again`, leaves out the parts that were set aside since. */
async function runOver(
  views: PlanViews,
  plan: Plan,
  { again, ...options }: RunOptions & { again: boolean },
  queries: QueryContext,
): Promise<RunResult> {
  const { stored, context, stats } = prepareRun(views, plan, options, queries)
  const result = await runPlan(plan, () => stored(again), context)
  if (result === undefined) return NO_ROWS
  options.onScanStats?.(stats())
  return result
}

/**
 * Returns the context of a run of a plan, and a function that returns the stored rows, without the parts that were set
 * aside if the run is `again`.
 */
export function prepareRun(
  { viewOf }: PlanViews,
  plan: Plan,
  { signal, memory = UNLIMITED_SHARE, keepsFewRows, onViewNote }: RunOptions,
  { caches, metrics, groupingLimits, sliceRows, readView }: QueryContext,
) {
  const { onView, onOpen, onScan, stats } = countScans(metrics)
  const stored = (again: boolean): StoredRows => ({
    partsOf(source, { input }) {
      const { parts, total } = viewOf(source, input)
      onView(total)
      return again ? parts.filter(({ isSetAside }) => !isSetAside) : parts
    },
    readView,
    frameOf: () => undefined,
  })
  const context: RunContext = {
    partialCache: caches.partialCache,
    fieldCache: caches.fieldCache,
    rowCache: caches.rowCache,
    sharedFrames: createSharedFrames(),
    sliceRows,
    limits: limitsOf(limitsOfPlan(plan, groupingLimits, keepsFewRows), memory),
    memory,
    yieldIfDue: createQueryYielder(memory, signal),
    onOpen,
    onScan,
    onViewNote,
  }
  return { stored, context, stats }
}

/** Counts the rows and parts that a run reads. */
function countScans(metrics: Pick<Metrics, 'scannedRows'>) {
  let rows = 0
  let parts = 0
  let opened = 0
  return {
    onView(total: number) {
      parts += total
    },
    onOpen() {
      opened += 1
    },
    onScan(more: number) {
      rows += more
      metrics.scannedRows.inc(more)
    },
    stats: (): ScanStats => ({ rows, segments: { total: parts, pruned: parts - opened } }),
  }
}

async function* noRows(): AsyncIterable<Row> {}

const NO_ROWS = { rows: noRows(), readsOn: false }
