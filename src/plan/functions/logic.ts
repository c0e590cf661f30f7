import type { Scalar, Type } from '../values/values.js'
import { type Cell, commonType, lazy, nullable, queryError } from './function.js'

/** Three-valued logic, conditions, and the choice between values. */
export const LOGIC = {
  and: lazy([1, Number.POSITIVE_INFINITY], 'boolean', (args) => connect(args, false)),
  or: lazy([1, Number.POSITIVE_INFINITY], 'boolean', (args) => connect(args, true)),
  not: lazy(1, 'boolean', ([arg]) => (position) => {
    const truth = truthOf(arg!(position))
    return truth === null ? null : !truth
  }),
  is_null: nullable(1, 'boolean', (value) => value === null),
  is_true: nullable(1, 'boolean', (value) => value === true),
  is_false: nullable(1, 'boolean', (value) => value === false),
  if: lazy(
    3,
    ([, a, b]) => commonType([a!, b!]),
    ([condition, then, otherwise]) =>
      (position) =>
        truthOf(condition!(position)) === true ? then!(position) : otherwise!(position),
  ),
  /** Pairs of a condition and a value, then optionally the value otherwise, by default null. */
  case: lazy([2, Number.POSITIVE_INFINITY], typeOfCase, chooseCase),
  coalesce: lazy([1, Number.POSITIVE_INFINITY], commonType, (args) => (position) => {
    for (const arg of args) {
      const value = arg(position)
      if (value !== null) return value
    }
    return null
  }),
} as const

/** A condition's value: true, false, or null. Throws for any other value. */
export function truthOf(value: Scalar): boolean | null {
  if (value === null || typeof value === 'boolean') return value
  throw queryError('A condition is neither true nor false: compare the value with something.')
}

/** `and` if `decisive` is false, `or` if `decisive` is true: the decisive value ends the evaluation, null is next. */
function connect(args: readonly Cell[], decisive: boolean): Cell {
  return (position) => {
    let result: boolean | null = !decisive
    for (const arg of args) {
      const truth = truthOf(arg(position))
      if (truth === decisive) return decisive
      if (truth === null) result = null
    }
    return result
  }
}

function typeOfCase(types: readonly Type[]): Type {
  return commonType(types.filter((_, i) => i % 2 === 1 || i === types.length - 1))
}

function chooseCase(args: readonly Cell[]): Cell {
  const pairs = Math.floor(args.length / 2)
  const otherwise = args.length % 2 === 1 ? args.at(-1) : undefined
  return (position) => {
    for (let i = 0; i < pairs; i++) {
      if (truthOf(args[2 * i](position)) === true) return args[2 * i + 1](position)
    }
    return otherwise === undefined ? null : otherwise(position)
  }
}
