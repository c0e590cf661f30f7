import { LogweirError } from '../base/errors.js'
import type { Expression } from './expression.js'

type Call = Expression & { kind: 'call' }

/** Returns where an expression is written, as ` (line 1, column 8)`. Called only for an error. */
export type Place = () => string

/** Not in the expressions: equal expressions at two places have the same key, and share cache entries. */
const places = new WeakMap<Expression, Place>()

/** Remembers where an expression is written. The first place given to an expression is kept. */
export function givePlace(expression: Expression, place: Place): void {
  if (!places.has(expression)) places.set(expression, place)
}

/** Returns where an expression is written. Undefined if unknown. */
export const placeOf = (expression: Expression): Place | undefined => places.get(expression)

/** Returns a copy of the call `from` with another function or other arguments, at the place of `from`. */
export function rewrittenCall(from: Call, changes: Partial<Pick<Call, 'fn' | 'args'>>): Call {
  const made = { ...from, ...changes }
  const place = places.get(from)
  if (place !== undefined) places.set(made, place)
  return made
}

/** An error of a row that names the place of the expression that failed. */
class PlacedError extends LogweirError {}

/**
 * Returns the error of an expression with the expression's place behind the message. Returns the error itself if the
 * error has a place, if the expression has no place, or if the error is a defect.
 */
export function placedError(error: unknown, expression: Expression): unknown {
  const place = places.get(expression)
  if (place === undefined || error instanceof PlacedError || !(error instanceof LogweirError)) return error
  return new PlacedError(error.code, error.message + place())
}
