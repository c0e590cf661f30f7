import type { NamedExpression } from '../../../plan/plan.js'
import type { LazyBatch, RunContext } from '../batches/lazy-batch.js'
import { plainFrame, rowByRow } from '../expressions/computed-frame.js'
import type { Evaluate } from '../expressions/evaluate.js'
import type { Frame } from '../expressions/frame.js'
import { prepare } from '../expressions/prepare.js'
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
      batch.read(async (frame) => use(selected(frame, columns, await prepare(frame, expressions, yieldIfDue)))),
  }))
}

/** The columns alone. Operators have no faster way over rows with unknown storage. */
function selected({ rows, load, rowOf, longestAt }: Frame, columns: readonly NamedExpression[], evaluate: Evaluate) {
  const vectors = new Map(columns.map(({ name, value }) => [name, rowByRow(evaluate(value))]))
  return plainFrame(rows, (name) => vectors.get(name), { load, rowOf, longestAt })
}
