import { type Draft, inScope, withScope } from '../stages/draft.js'
import type { OperatorOf } from '../stages/stage.js'

/**
 * Adds columns to the scope. The operator does not run: the expressions behind have the expressions of the new columns
 * in place of the names, and are evaluated when a value is read.
 */
export function cutExtend({ columns }: OperatorOf<'extend'>, draft: Draft): Draft {
  const extended = new Map(draft.scope)
  for (const { name, value } of columns) extended.set(name, inScope(value, draft.scope))
  return withScope(draft, extended)
}
