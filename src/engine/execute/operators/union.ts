import type { LazyBatch } from '../batches/lazy-batch.js'
import { type Draft, draftOf, type InnerPlans, scopeOf } from '../stages/draft.js'
import { columnNames, type OperatorOf, type Stage } from '../stages/stage.js'

/** Begins a stage that reads the rows of other stages, one for each plan. */
export function cutUnion(operator: OperatorOf<'union'>, _: Draft, { cut }: InnerPlans): Draft {
  // The empty plan, which is no stage, adds no row: the other plans have no columns either.
  const inputs = operator.plans.map(cut).filter((stage) => stage !== undefined)
  return draftOf({ op: 'union', inputs }, scopeOf(operator))
}

/**
 * Returns the rows of all stages, with the names of the first stage's columns. `read` returns the rows of a stage with
 * columns of these names.
 */
export function union(
  stages: readonly Stage[],
  read: (stage: Stage, names: string[]) => readonly LazyBatch[],
): LazyBatch[] {
  const names = stages.slice(0, 1).flatMap(columnNames)
  return stages.flatMap((stage) => read(stage, names))
}
