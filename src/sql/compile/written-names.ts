import type { Expression } from '../../plan/expression.js'
import { nameText } from '../parse/name-text.js'
import type { NodeOf } from '../parse/tree.js'

/** A name as the text has it, and its offset. */
export interface WrittenName {
  name: string
  at: number
}

/** Not in the expressions, as their places are not: the same expression of two texts has one key. */
const names = new WeakMap<Expression, WrittenName>()

/** Remembers the name that an expression is written as. It keeps the name that it was given first. */
export function giveName(expression: Expression, { steps, at }: Pick<NodeOf<'name'>, 'steps' | 'at'>): Expression {
  if (expression.kind !== 'literal' && !names.has(expression)) names.set(expression, { name: nameText(steps), at })
  return expression
}

/** Returns the name that an expression is written as; undefined if it is computed, or was written with `*`. */
export const writtenName = (expression: Expression): WrittenName | undefined => names.get(expression)

/** Gives an expression that replaces another one the name of that one. */
export function keepName(from: Expression, to: Expression): Expression {
  const name = names.get(from)
  if (name !== undefined) names.set(to, name)
  return to
}
