import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { conjunctsOf, type Expression } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import { blocksOf } from '../batches/blocks.js'
import { eachFrame } from '../batches/each-frame.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { extendKey } from '../caches/partial-cache.js'
import type { Frame } from '../expressions/frame.js'
import { fieldsIn } from '../expressions/loaded-fields.js'
import { prepare } from '../expressions/prepare.js'
import { truthAt } from '../expressions/truths.js'
import { type Draft, inScope, withSteps } from '../stages/draft.js'
import type { OperatorOf, Step } from '../stages/stage.js'

/** Adds a step for each condition that `and` connects. */
export function cutFilter({ where }: OperatorOf<'filter'>, draft: Draft): Draft {
  const conditions = conjunctsOf(inScope(where, draft.scope))
  const steps = conditions.map((condition): Step => ({ op: 'filter', where: condition }))
  return withSteps(draft, steps)
}

/**
 * Keeps the rows for which every condition is true. A condition is evaluated only in rows for which all conditions
 * before are true, so that other rows raise no error.
 */
export function filter(
  input: readonly LazyBatch[],
  conditions: readonly Expression[],
  { yieldIfDue }: RunContext,
): LazyBatch[] {
  if (conditions.length === 0) return [...input]
  const keyOf = extendKey(() => ['filter', ...conditions.map(expressionKey)])
  return eachFrame(input, keyOf, (frame) => keepPassing(frame, conditions, yieldIfDue))
}

/**
 * Returns the rows of a frame for which every condition is true. Filters by groups of conditions: fields are read in
 * the rows that the groups before have left.
 */
export async function keepPassing(
  frame: Frame,
  conditions: readonly Expression[],
  yieldIfDue: Yielder,
): Promise<Frame> {
  let kept = frame
  for (let from = 0; from < conditions.length; ) {
    let to = from + 1
    while (to < conditions.length && fieldsIn([conditions[to]], kept.elements).length === 0) to++
    const group = conditions.slice(from, to)
    kept = keep(kept, await passing(kept, group, yieldIfDue))
    from = to
  }
  return kept
}

/** The positions for which every condition is true, ascending. */
async function passing(frame: Frame, conditions: readonly Expression[], yieldIfDue: Yielder): Promise<Uint32Array> {
  const evaluate = await prepare(frame, conditions, yieldIfDue)
  const vectors = conditions.map((condition) => evaluate(condition))
  const tests = vectors.map((vector) => truthAt(vector, frame.stored?.selection))
  const positions = new Uint32Array(frame.rows)
  let count = 0
  for await (const { from, to } of blocksOf(frame, vectors, yieldIfDue)) {
    for (let position = from; position < to; position++) {
      if (tests.every((test) => test(position))) positions[count++] = position
    }
  }
  return positions.subarray(0, count)
}

/** Returns the rows at some positions of a frame, which ascend. */
export function keep(frame: Frame, positions: Uint32Array): Frame {
  if (positions.length === frame.rows) return frame
  return frame.select(positions)
}
