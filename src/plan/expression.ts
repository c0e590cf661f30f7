import type { FunctionName } from './functions/table.js'
import type { Scalar } from './values.js'

/**
 * An expression over one row: plain data but for the value classes, so that a plan can be a cache key and be lowered to
 * another engine. Its value is never undefined; null stands for unknown (three-valued logic).
 */
export type Expression =
  /** A column of the row by name. */
  | { kind: 'column'; name: string }
  | { kind: 'literal'; value: Scalar }
  | { kind: 'call'; fn: FunctionName; args: readonly Expression[] }

/** A column by its name. */
export const column = (name: string): Expression => ({ kind: 'column', name })

/** A constant. */
export const literal = (value: Scalar): Expression => ({ kind: 'literal', value })

/** A function of other expressions. The number of arguments is checked when the plan is made ready. */
export const call = (fn: FunctionName, ...args: readonly Expression[]): Expression => ({ kind: 'call', fn, args })

/** Adds the names of all columns that an expression reads to `into`, and returns it. */
export function columnsOf(expression: Expression, into = new Set<string>()): Set<string> {
  if (expression.kind === 'column') into.add(expression.name)
  else if (expression.kind === 'call') for (const arg of expression.args) columnsOf(arg, into)
  return into
}

/** Returns the terms of a conjunction: `a and (b and c)` gives a, b and c. */
export function conjunctsOf(expression: Expression): Expression[] {
  if (expression.kind !== 'call' || expression.fn !== 'and') return [expression]
  return expression.args.flatMap(conjunctsOf)
}
