import type { Expression } from './expression.js'

/** A name as a text of SQL has it. */
export interface WrittenName {
  name: string
  /** Its offset in the text. */
  at: number
  /** Whether an output column has the name too, which is not in sight where the name is written. */
  isOutput?: boolean
}

/** Not in the expressions, as their places are not: the same expression of two texts has one key. */
const names = new WeakMap<Expression, WrittenName>()

/** Remembers the name that an expression is written as. It keeps the name that it was given first. */
export function giveName(expression: Expression, name: WrittenName): Expression {
  if (expression.kind !== 'literal' && !names.has(expression)) names.set(expression, name)
  return expression
}

/** Returns the name that an expression is written as; undefined if it is computed. */
export const writtenName = (expression: Expression): WrittenName | undefined => names.get(expression)

/** Gives an expression that replaces another one the name of that one. */
export function keepName(from: Expression, to: Expression): Expression {
  const name = names.get(from)
  return name === undefined ? to : giveName(to, name)
}
