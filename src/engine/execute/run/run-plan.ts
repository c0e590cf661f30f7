import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import { type Expression, literal } from '../../../plan/expression.js'
import type { Plan } from '../../../plan/plan.js'
import type { RunContext } from '../batches/lazy-batch.js'
import { NO_PARTIAL_CACHE } from '../caches/partial-cache.js'
import { isIn } from '../operators/is-in.js'
import { shareStages } from '../stages/shared-stages.js'
import { columnNames, type IsIn, isEmpty, type Stage } from '../stages/stage.js'
import { answerOf, type RunResult } from './answer.js'
import { cutPlan } from './cut-plan.js'
import { type StoredRows, unorderedRows } from './run-stage.js'

/** Finds the stored rows that a stage and all stages before read. */
export type FindRows = (last: Stage) => StoredRows | Promise<StoredRows>

/**
 * Runs a plan: reads the plans of each `isIn`, then all stages. All scanning is done when the promise resolves.
 * Undefined if the plan returns no row, whatever is stored: nothing is read then. Throws as {@link lastStageOf} does,
 * and the errors of operators.
 */
export async function runPlan(plan: Plan, find: FindRows, context: RunContext): Promise<RunResult | undefined> {
  const last = await lastStageOf(plan, find, context)
  return last && answerOf(last.stage, await find(last.stage), last.context)
}

/**
 * Reads the plans of each `isIn`, and returns the last stage of the plan with their values in their place, and the
 * context of the run. Undefined if the plan returns no row, whatever is stored: nothing is read then. Throws a
 * TypeError as {@link cutPlan} does, the errors of the inner plans, and `too_much_memory`.
 */
export async function lastStageOf(
  plan: Plan,
  find: FindRows,
  context: RunContext,
): Promise<{ stage: Stage; context: RunContext } | undefined> {
  const tests = new Map<IsIn, Expression>()
  const shape = cutPlan(plan, (operator) => {
    tests.set(operator, NOT_READ)
    return NOT_READ
  })
  if (shape === undefined || isEmpty(shape)) return undefined
  if (tests.size === 0) return { stage: shareStages(shape), context }
  let bytes = 0
  const meter = createMeter(context.memory)
  const addBytes = (more: number) => {
    bytes += more
    meter(bytes)
    if (bytes > context.limits.bytes) throw tooMuchMemory(context.limits.bytes)
  }
  for (const operator of tests.keys()) {
    const inner = await lastStageOf(operator.plan, find, context)
    const rows = inner && unorderedRows(inner.stage, await find(inner.stage), inner.context)
    const [column] = inner === undefined ? [] : columnNames(inner.stage)
    tests.set(operator, await isIn(operator, rows ?? [], column, context, addBytes))
  }
  // The values differ from run to run, so that the next run would find no partial again.
  const stage = shareStages(cutPlan(plan, (operator) => tests.get(operator)!)!)
  return { stage, context: { ...context, partialCache: NO_PARTIAL_CACHE } }
}

const NOT_READ = literal(null)
