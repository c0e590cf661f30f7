import type { NamedExpression } from '../../../plan/plan.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { createEvaluate } from '../expressions/evaluate.js'
import type { Frame } from '../expressions/frame.js'
import { fieldsIn } from '../expressions/loaded-fields.js'
import type { Vector } from '../expressions/vector.js'
import { type Draft, inScope, withScope } from '../stages/draft.js'
import type { OperatorOf } from '../stages/stage.js'

/** Replaces the columns in sight. An order directly behind may still read the columns before. */
export function cutSelect({ columns }: OperatorOf<'select'>, draft: Draft): Draft {
  const { scope } = draft
  const selected = new Map(columns.map(({ name, value }) => [name, inScope(value, scope)]))
  return { ...withScope(draft, selected), hidden: scope }
}

/**
 * Returns the rows of batches with these columns alone. The columns are evaluated on read. Runs only at the end of a
 * stage that neither groups nor orders rows: other stages evaluate the columns themselves.
 */
export function select(
  input: readonly LazyBatch[],
  columns: readonly NamedExpression[],
  { yieldIfDue }: Pick<RunContext, 'yieldIfDue'>,
): LazyBatch[] {
  const expressions = columns.map(({ value }) => value)
  return input.map((batch) => ({
    // The column `timestamp` may be another column.
    minUs: Number.NEGATIVE_INFINITY,
    maxUs: Number.POSITIVE_INFINITY,
    read: (use) =>
      batch.read(async (frame) => {
        await frame.loadFields?.(fieldsIn(expressions, frame.elements), yieldIfDue)
        return use(selected(frame, columns))
      }),
  }))
}

function selected(frame: Frame, columns: readonly NamedExpression[]): Frame {
  const { rows, load, rowOf, longestAt } = frame
  const evaluate = createEvaluate(frame)
  const vectors = new Map(columns.map(({ name, value }) => [name, withoutStored(evaluate(value))]))
  return { rows, load, rowOf, ...(longestAt && { longestAt }), column: (name) => vectors.get(name) }
}

/** Operators have no faster way over rows whose storage is unknown. */
const withoutStored = ({ at, areasAt, isConstant, isCold, call, longest }: Vector): Vector => ({
  at,
  ...(call && { call }),
  ...(longest && { longest }),
  ...(areasAt && { areasAt }),
  ...(isConstant && { isConstant }),
  isCold,
})
