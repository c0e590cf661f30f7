import { innerPlansOf, type Plan, type Scan } from '../../../plan/plan.js'
import { schemaOf } from '../../../plan/schema.js'
import type { Ask, Engine, RunOptions } from '../../engine.js'
import { cutPlan } from '../../execute/run/cut-plan.js'
import { groupStageOf, runWindows, type WindowRun } from '../../execute/windows/run-windows.js'
import { takePlanViews } from '../tables/plan-views.js'
import { pastDamage, prepareRun, type QueryContext } from './run.js'

/** Returns {@link Engine.runMoved} over a store. */
export function createRunMoved(queries: QueryContext): NonNullable<Engine['runMoved']> {
  return async (plan, { count, stepUs }, options = {}) => {
    schemaOf(plan)
    const scan = onlyScanOf(plan)
    if (scan === undefined) return undefined
    const { fromUs, throughUs } = scan
    const all: Plan = [{ ...scan, throughUs: throughUs + (count - 1) * stepUs }, ...plan.slice(1)]
    const last = cutPlan(all)!
    const group = groupStageOf(last)
    if (group === undefined) return undefined
    return askEach(all, { last, group, windows: { fromUs, throughUs, count, stepUs } }, options, queries)
  }
}

/** The scan that begins a plan, if the plan has no other scan and the scan has both bounds. */
function onlyScanOf(plan: Plan): Scan | undefined {
  const [first] = plan
  if (first?.op !== 'scan' || plan.some((operator) => innerPlansOf(operator).length > 0)) return undefined
  const { fromUs, throughUs } = first
  return Number.isSafeInteger(fromUs) && Number.isSafeInteger(throughUs) && fromUs <= throughUs ? first : undefined
}

/** Takes a snapshot of the rows of all windows, and keeps it until the iteration ends. */
async function* askEach(
  all: Plan,
  run: Pick<WindowRun, 'last' | 'group' | 'windows'>,
  options: RunOptions,
  queries: QueryContext,
): AsyncGenerator<Ask, void> {
  const views = takePlanViews(queries.store, all)
  const { stored, context } = prepareRun(views, all, options, queries)
  // The rows are read once: slices would only add work.
  const readOnce = { ...context, sliceRows: Number.POSITIVE_INFINITY }
  try {
    const windows = runWindows({ ...run, stored: () => stored(true), pastDamage, context: readOnce })
    for await (const ask of windows) yield async () => (await ask()).rows
  } finally {
    views.release()
  }
}
