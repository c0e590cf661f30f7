import { column, type Expression } from '../../plan/expression.js'
import { expressionKey } from '../../plan/expression-key.js'
import { rewrittenCall } from '../../plan/place.js'
import type { NamedExpression } from '../../plan/plan.js'
import { keepName, type WrittenName, writtenName } from '../../plan/written-name.js'
import { invalid } from '../parse/fault.js'

/** Returns the message of a value that is no key: of the name that is written, or of an unnamed value. */
type NoKeyMessage = (name: string | undefined) => string

const NO_KEY: NoKeyMessage = (name) =>
  `${name ?? 'This value'} is neither a key of GROUP BY nor an aggregate: ` +
  `group by it, or write any_value(${name ?? '…'}).`

/**
 * Returns a function that rewrites an expression over rows as an expression over groups: keys become columns of the
 * group, and columns named in `kept` remain. Throws `invalid_sql` with `message`, at the place of the name, for any
 * other column.
 */
export function createGroupRewriter(
  keys: readonly NamedExpression[],
  kept: { has(name: string): boolean },
  message = NO_KEY,
): (expression: Expression, at: number) => Expression {
  const names = new Map(keys.map(({ name, value }) => [expressionKey(value), name]))
  const known = new Map<Expression, Expression>()
  /** The outermost name around the expression that is rewritten. */
  let unkeyed: WrittenName | undefined
  const rewrite = (expression: Expression, at: number): Expression => {
    const found = known.get(expression)
    if (found !== undefined) return found
    const name = names.get(expressionKey(expression)) ?? names.get(expressionKey(asField(expression)))
    const made = name === undefined ? rewriteParts(expression, at) : keepName(expression, column(name))
    known.set(expression, made)
    return made
  }
  function rewriteParts(expression: Expression, at: number): Expression {
    if (expression.kind === 'literal') return expression
    if (expression.kind === 'column' && kept.has(expression.name)) return expression
    const written = writtenName(expression)
    if (written !== undefined) unkeyed ??= written
    if (expression.kind === 'column') throw invalid(message(unkeyed?.name), unkeyed?.at ?? at)
    const made = rewrittenCall(expression, { args: expression.args.map((arg) => rewrite(arg, at)) })
    if (unkeyed === written) unkeyed = undefined
    return made
  }
  return rewrite
}

/** A field as read outside of functions of texts: groups have the same value for `1` and `1.0`. */
function asField(expression: Expression): Expression {
  if (expression.kind !== 'call') return expression
  if (expression.fn === 'field_text') return { ...expression, fn: 'field' }
  const isChoice =
    expression.fn === 'coalesce' && expression.args.some((arg) => arg.kind === 'call' && arg.fn === 'field_text')
  return isChoice ? { ...expression, args: expression.args.map(asField) } : expression
}
