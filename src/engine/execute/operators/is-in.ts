import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import { call, type Expression, literal } from '../../../plan/expression.js'
import { giveOwnKey } from '../../../plan/expression-key.js'
import type { Operator, Plan } from '../../../plan/plan.js'
import { Membership } from '../../../plan/values/membership.js'
import { blocksOf } from '../batches/blocks.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { NO_PARTIAL_CACHE } from '../caches/partial-cache.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import { shareStages } from '../stages/shared-stages.js'
import { columnNames, isEmpty, type Stage, stagesOf } from '../stages/stage.js'

type IsIn = Extract<Operator, { op: 'isIn' }>

/** Returns the rows of a stage, in any order. */
export type ReadStage = (stage: Stage, context: RunContext) => Promise<readonly LazyBatch[]>

/** Bytes of a value in the tables of a {@link Membership}, about. */
const MEMBER_BYTES = 96

/**
 * Reads the plans of each `isIn`, and returns the last stage of the plan with their values in their place, and the
 * context of the run. Undefined if the plan returns no row, whatever is stored: nothing is read then. Throws a
 * TypeError as `stagesOf` does, the errors of the inner plans, and `too_much_memory`.
 */
export async function readInnerPlans(
  plan: Plan,
  context: RunContext,
  readStage: ReadStage,
): Promise<{ stage: Stage; context: RunContext } | undefined> {
  const shape = stagesOf(withValues(plan, NO_VALUES))
  if (shape === undefined || isEmpty(shape)) return undefined
  const operators = isInsOf(plan)
  if (operators.length === 0) return { stage: shareStages(shape), context }
  const values = new Map<IsIn, Expression>()
  let bytes = 0
  const meter = createMeter(context.memory)
  const addBytes = (more: number) => {
    bytes += more
    meter(bytes)
    if (bytes > context.limits.bytes) throw tooMuchMemory(context.limits.bytes)
  }
  for (const operator of operators) {
    const inner = await readInnerPlans(operator.plan, context, readStage)
    const members = new Membership()
    if (inner !== undefined) await addRows(members, inner.stage, inner.context, readStage, addBytes)
    values.set(operator, isAmong(operator.value, members))
  }
  // The values differ from run to run, so that the next run would find no partial again.
  const stage = shareStages(stagesOf(withValues(plan, values))!)
  return { stage, context: { ...context, partialCache: NO_PARTIAL_CACHE } }
}

/** Adds the values of a stage's only column. */
async function addRows(
  members: Membership,
  stage: Stage,
  context: RunContext,
  readStage: ReadStage,
  addBytes: (more: number) => void,
): Promise<void> {
  members.expectTimes()
  const [name] = columnNames(stage)
  for (const batch of await readStage(stage, context)) {
    await batch.read(async (frame) => {
      const vector = frame.column(name!)!
      for await (const { from, to } of blocksOf(frame, [vector], context.yieldIfDue)) {
        for (let position = from; position < to; position++) {
          const value = vector.at(position)
          if (members.add(value)) addBytes(MEMBER_BYTES + bytesOfValue(value))
        }
      }
    })
  }
}

function isAmong(value: Expression, { values }: Membership): Expression {
  const list = literal(values)
  giveOwnKey(list)
  return call('in_list', value, list)
}

/** Every `isIn` of a plan, including the unions of the plan, but not of inner plans. */
function isInsOf(plan: Plan): IsIn[] {
  return plan.flatMap((operator) => {
    if (operator.op === 'isIn') return [operator]
    return operator.op === 'union' ? operator.plans.flatMap(isInsOf) : []
  })
}

const NO_VALUES: ReadonlyMap<IsIn, Expression> = new Map()
const NOT_READ = literal(null)

/** Returns the plan with an expression in place of each `isIn`. Returns the plan itself without any `isIn`. */
function withValues(plan: Plan, values: ReadonlyMap<IsIn, Expression>): Plan {
  if (isInsOf(plan).length === 0) return plan
  return plan.map((operator) => {
    if (operator.op === 'union') return { ...operator, plans: operator.plans.map((one) => withValues(one, values)) }
    if (operator.op !== 'isIn') return operator
    return { op: 'extend', columns: [{ name: operator.name, value: values.get(operator) ?? NOT_READ }] }
  })
}
