import type { FunctionName } from './functions/table.js'
import type { Scalar } from './values/values.js'

/**
 * An expression over a row: plain data but for the value classes, so that a plan can be a cache key and be lowered to
 * another engine. The value is never undefined. Null means unknown (three-valued logic).
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

/** A field of the record: the value at a path of keys in its metadata. A text with dots is short for a path. */
export function field(path: string | readonly string[]): Expression {
  const keys = typeof path === 'string' ? path.split('.') : path
  return call('field', column('metadata'), ...keys.map(literal))
}

/**
 * Returns the path of an expression that is a field of the record, and whether the field is read as text. Undefined
 * for any other expression.
 */
export function pathOfField(expression: Expression): { keys: readonly string[]; isText: boolean } | undefined {
  if (expression.kind !== 'call' || (expression.fn !== 'field' && expression.fn !== 'field_text')) return undefined
  const [json, ...args] = expression.args
  if (json?.kind !== 'column' || json.name !== 'metadata') return undefined
  const keys = args.flatMap((arg) => (arg.kind === 'literal' && typeof arg.value === 'string' ? [arg.value] : []))
  return keys.length === args.length ? { keys, isText: expression.fn === 'field_text' } : undefined
}

/** Returns the names of all columns that an expression reads. Visits each distinct expression object once. */
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

/**
 * Returns the terms of a conjunction: `a and (b and c)` gives a, b and c. An expression object is returned once. A
 * conjunction of a single term is a term itself: the check that its argument is a condition.
 */
export function conjunctsOf(expression: Expression, seen = new Set<Expression>()): Expression[] {
  if (seen.has(expression)) return []
  seen.add(expression)
  if (expression.kind !== 'call' || expression.fn !== 'and' || expression.args.length === 1) return [expression]
  return expression.args.flatMap((arg) => conjunctsOf(arg, seen))
}

/** Returns the condition that all conditions hold, or at least one condition. `conditions` must not be empty. */
export function joinConditions(fn: 'and' | 'or', conditions: readonly Expression[]): Expression {
  return conditions.length === 1 ? conditions[0] : call(fn, ...conditions)
}
