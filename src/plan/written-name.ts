import type { Expression } from './expression.js'

/** A name as written in a text of SQL. */
export interface WrittenName {
  name: string
  /** Its offset in the text. */
  at: number
  /** Whether an output column has the name too, which is not in sight where the name is written. */
  isOutput?: boolean
}

/** Not in the expressions, for the same reason as places: the same expression of two texts has the same key. */
const names = new WeakMap<Expression, WrittenName>()

/** Remembers the name that an expression is written as. The first name given to an expression is kept. */
export function giveName(expression: Expression, name: WrittenName): Expression {
  if (expression.kind !== 'literal' && !names.has(expression)) names.set(expression, name)
  return expression
}

/** Returns the name that an expression is written as. Undefined if the expression is computed. */
export const writtenName = (expression: Expression): WrittenName | undefined => names.get(expression)

/** Gives the expression `to`, which replaces `from`, the name of `from`. */
export function keepName(from: Expression, to: Expression): Expression {
  const name = names.get(from)
  return name === undefined ? to : giveName(to, name)
}
