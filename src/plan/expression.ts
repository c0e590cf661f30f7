import type { FunctionName } from './functions/table.js'
import type { Scalar } from './values/values.js'

/**
 * An expression over one row: plain data but for the value classes, so that a plan can be a cache key and be lowered to
 * another engine. Its value is never undefined; null means unknown (three-valued logic).
 */
export type Expression =
  /** A column of the row by name. */
  | { kind: 'column'; name: string }
  | { kind: 'literal'; value: Scalar }
  | { kind: 'call'; fn: FunctionName; args: readonly Expression[] }

/** A column by its name. */
export const column = (name: string): Expression => ({ kind: 'column', name })

/** An expression with the same value in every row. */
export const literal = (value: Scalar): Expression => ({ kind: 'literal', value })

/** A function of other expressions. The number of arguments is checked when the plan is made ready. */
export const call = (fn: FunctionName, ...args: readonly Expression[]): Expression => ({ kind: 'call', fn, args })

/**
 * Returns the names of all columns that an expression reads. An expression object is visited once, however often it
 * occurs.
 */
export function columnsOf(expression: Expression): Set<string> {
  const names = new Set<string>()
  const seen = new Set<Expression>()
  const visit = (one: Expression) => {
    if (seen.has(one)) return
    seen.add(one)
    if (one.kind === 'column') names.add(one.name)
    else if (one.kind === 'call') one.args.forEach(visit)
  }
  visit(expression)
  return names
}

/** Returns the terms of a conjunction: `a and (b and c)` gives a, b and c. An expression object is returned once. */
export function conjunctsOf(expression: Expression, seen = new Set<Expression>()): Expression[] {
  if (seen.has(expression)) return []
  seen.add(expression)
  if (expression.kind !== 'call' || expression.fn !== 'and') return [expression]
  return expression.args.flatMap((arg) => conjunctsOf(arg, seen))
}
