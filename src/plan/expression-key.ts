import { hash } from 'node:crypto'
import type { Expression } from './expression.js'
import { jsonOf } from './functions/text-of.js'
import { typeOfValue } from './schema.js'
import type { Scalar } from './values/values.js'

/** Keys up to this length stay readable. Longer keys become digests. */
const MAX_KEY_LENGTH = 200

const keys = new WeakMap<Expression, string>()

/**
 * Returns a text that is equal for expressions that mean the same, and different for others. Linear in the number of
 * distinct expression objects: a part that occurs several times in an expression costs once.
 */
export function expressionKey(expression: Expression): string {
  const known = keys.get(expression)
  if (known !== undefined) return known
  const text = keyOf(expression)
  const key = text.length <= MAX_KEY_LENGTH ? text : hash('sha256', text, 'base64url')
  keys.set(expression, key)
  return key
}

let ownKeys = 0

/** Gives an expression a key that no other has: a literal of so many values that their text would be too long. */
export function giveOwnKey(expression: Expression): void {
  keys.set(expression, `#${ownKeys++}`)
}

function keyOf(expression: Expression): string {
  if (expression.kind === 'column') return JSON.stringify(expression.name)
  if (expression.kind === 'call') return `${expression.fn}(${expression.args.map(expressionKey).join(',')})`
  return keyOfValue(expression.value)
}

function keyOfValue(value: Scalar): string {
  if (Array.isArray(value)) return `list:[${value.map(keyOfValue).join(',')}]`
  return `${typeOfValue(value)}:${JSON.stringify(jsonOf(value))}`
}
