import { LogweirError } from '../../base/errors.js'
import { MIB } from '../../base/units.js'
import type { Scalar, Type } from '../values/values.js'

/** The value of an expression in a row, by the row's position. May throw a {@link queryError}. */
export type Cell = (position: number) => Scalar

/** How many arguments a function takes: at least, and at most. */
type Arity = readonly [least: number, most: number]

/**
 * The static type of a function's result, if need be from the types of its arguments and the values of literal
 * arguments (undefined for other arguments).
 */
type ResultType = Type | ((args: readonly Type[], literals: readonly (Scalar | undefined)[]) => Type)

/**
 * A function of expressions. The same arguments always give the same value: an engine evaluates a function once for
 * each distinct value of a column.
 */
export interface ScalarFunction {
  readonly arity: Arity
  readonly type: ResultType
  /** Whether the result is null if an argument is null. A wrong literal argument is refused when the call is bound. */
  readonly isStrict?: true
  /** Returns the cell of a call. `constants` has the values of literal arguments, undefined for other arguments. */
  bind(args: readonly Cell[], constants: readonly (Scalar | undefined)[]): Cell
}

/** The longest text or list that an expression may make, in characters. */
export const MAX_VALUE_LENGTH = MIB

/** An error of the query's own: status 400. Messages never quote a stored value. */
export const queryError = (message: string): LogweirError => new LogweirError('invalid_sql', message)

/** Returns a computed text, or throws `too_much_memory` if the text is longer than {@link MAX_VALUE_LENGTH}. */
export function bounded(text: string): string {
  if (text.length > MAX_VALUE_LENGTH) throw tooLong()
  return text
}

/** The error of a computed value that is too long. */
export const tooLong = (): LogweirError =>
  new LogweirError('too_much_memory', `The query computes a value of more than ${MAX_VALUE_LENGTH} characters.`)

/** A function that is null if an argument is null: the first null from the left ends the evaluation of arguments. */
export function strict(arity: Arity | number, type: ResultType, apply: (...args: never[]) => Scalar): ScalarFunction {
  return prepared(arity, type, () => apply)
}

/**
 * A {@link strict} function that reads literal arguments once, in `prepare`: a pattern is compiled, a format is read.
 * `prepare` throws if a literal is invalid.
 */
export function prepared(
  arity: Arity | number,
  type: ResultType,
  prepare: (constants: readonly (Scalar | undefined)[]) => (...args: never[]) => Scalar,
): ScalarFunction {
  return {
    arity: typeof arity === 'number' ? [arity, arity] : arity,
    type,
    isStrict: true,
    bind: (args, constants) => strictCell(args, prepare(constants) as (...args: Scalar[]) => Scalar),
  }
}

/** A function that is called with nulls too. */
export function nullable(
  arity: Arity | number,
  type: ResultType,
  apply: (...args: Scalar[]) => Scalar,
): ScalarFunction {
  return lazy(arity, type, (args) => (position) => apply(...args.map((arg) => arg(position))))
}

/** A function that decides which of its arguments are evaluated. An unevaluated argument raises no error. */
export function lazy(
  arity: Arity | number,
  type: ResultType,
  bind: (args: readonly Cell[], constants: readonly (Scalar | undefined)[]) => Cell,
): ScalarFunction {
  return { arity: typeof arity === 'number' ? [arity, arity] : arity, type, bind }
}

/** Written out for one to three arguments, since a spread call for each row takes several times as long. */
function strictCell(args: readonly Cell[], apply: (...args: Scalar[]) => Scalar): Cell {
  const [a, b, c] = args as [Cell, Cell, Cell]
  if (args.length === 1) {
    return (position) => {
      const x = a(position)
      return x === null ? null : apply(x)
    }
  }
  if (args.length === 2) {
    return (position) => {
      const x = a(position)
      if (x === null) return null
      const y = b(position)
      return y === null ? null : apply(x, y)
    }
  }
  if (args.length === 3) {
    return (position) => {
      const x = a(position)
      if (x === null) return null
      const y = b(position)
      if (y === null) return null
      const z = c(position)
      return z === null ? null : apply(x, y, z)
    }
  }
  return (position) => {
    const values: Scalar[] = []
    for (const arg of args) {
      const value = arg(position)
      if (value === null) return null
      values.push(value)
    }
    return apply(...values)
  }
}

/** The common static type of some expressions, or `any` if the types differ. */
export function commonType(types: readonly Type[]): Type {
  const known = types.filter((type) => type !== 'null').map((type) => (type === 'count' ? 'integer' : type))
  const [first = 'null'] = known
  if (known.every((type) => type === first)) return first
  return known.every((type) => type === 'integer' || type === 'number') ? 'number' : 'any'
}
