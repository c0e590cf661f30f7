import { column, type Expression } from '../../plan/expression.js'
import { expressionKey } from '../../plan/expression-key.js'
import { rewrittenCall } from '../../plan/place.js'
import type { NamedExpression } from '../../plan/plan.js'
import { invalid } from '../parse/fault.js'

const NO_KEY = 'This value is neither a key of GROUP BY nor an aggregate: group by it, or write any_value(…).'

/**
 * Returns a function that rewrites an expression over rows as one over their groups: keys become columns of the group,
 * and columns named in `kept` remain. Throws `invalid_sql` with `message` for any other column.
 */
export function createGroupRewriter(
  keys: readonly NamedExpression[],
  kept: { has(name: string): boolean },
  message = NO_KEY,
): (expression: Expression, at: number) => Expression {
  const names = new Map(keys.map(({ name, value }) => [expressionKey(value), name]))
  const known = new Map<Expression, Expression>()
  const rewrite = (expression: Expression, at: number): Expression => {
    const found = known.get(expression)
    if (found !== undefined) return found
    const name = names.get(expressionKey(expression)) ?? names.get(expressionKey(asField(expression)))
    const made = name === undefined ? rewriteParts(expression, at) : column(name)
    known.set(expression, made)
    return made
  }
  function rewriteParts(expression: Expression, at: number): Expression {
    if (expression.kind === 'literal') return expression
    if (expression.kind === 'call')
      return rewrittenCall(expression, { args: expression.args.map((arg) => rewrite(arg, at)) })
    if (kept.has(expression.name)) return expression
    throw invalid(message, at)
  }
  return rewrite
}

/** A field as it is read outside of functions of texts: groups have one value for `1` and `1.0`. */
function asField(expression: Expression): Expression {
  if (expression.kind !== 'call') return expression
  if (expression.fn === 'field_text') return { ...expression, fn: 'field' }
  const isChoice =
    expression.fn === 'coalesce' && expression.args.some((arg) => arg.kind === 'call' && arg.fn === 'field_text')
  return isChoice ? { ...expression, args: expression.args.map(asField) } : expression
}
