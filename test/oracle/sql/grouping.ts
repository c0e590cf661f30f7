import { call, column, type Expression } from '../../../src/plan/expression.js'
import type { NamedExpression } from '../../../src/plan/plan.js'
import { wrong } from './syntax.js'

/** A text that is equal for equal expressions. A field counts as equal whether the field is read as text or not. */
const keyOf = (expression: Expression): string =>
  JSON.stringify(expression, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)).replaceAll(
    '"fn":"field_text"',
    '"fn":"field"',
  )

/**
 * Returns the same expression over the rows of groups: a part that is a key becomes the column of the key. Throws
 * `invalid_sql` at a column that is neither a key nor `isMade` behind the groups, as an aggregate.
 */
export function overGroups(
  expression: Expression,
  keys: readonly NamedExpression[],
  isMade: (column: string) => boolean,
): Expression {
  const key = keys.find(({ value }) => keyOf(value) === keyOf(expression))
  if (key !== undefined) return column(key.name)
  if (expression.kind === 'literal') return expression
  if (expression.kind === 'column') return isMade(expression.name) ? expression : wrong()
  return call(expression.fn, ...expression.args.map((arg) => overGroups(arg, keys, isMade)))
}
