import { Membership, membershipOf } from '../values/membership.js'
import { compareAll, compareValues, isTime, isUnknown, momentUs, type Scalar, Timestamp } from '../values/values.js'
import { type Cell, commonType, lazy, nullable, prepared, queryError, type ScalarFunction } from './function.js'

/** Comparisons between values of any types, as in {@link compareValues}. */
export const COMPARE = {
  eq: prepared(2, 'boolean', (constants) => withTimes(constants, equal)),
  ne: prepared(2, 'boolean', (constants) => withTimes(constants, unequal)),
  lt: ordering((order) => order < 0),
  le: ordering((order) => order <= 0),
  gt: ordering((order) => order > 0),
  ge: ordering((order) => order >= 0),
  in: lazy([2, Number.POSITIVE_INFINITY], 'boolean', isAmong),
  /** The same over the elements of a literal list, false if empty. Engines lower the operator `isIn` to `in_list`. */
  in_list: lazy(2, 'boolean', isInList),
  nullif: nullable(
    2,
    ([type]) => type!,
    (a, b) => (a !== null && b !== null && compareValues(a, b) === 0 ? null : a),
  ),
  greatest: extreme((order) => order > 0),
  least: extreme((order) => order < 0),
} as const

/** Returns false for values of different types, null for a time and a value that cannot be read as a time. */
function equal(a: Scalar, b: Scalar): boolean | null {
  const order = compareValues(a, b)
  return order === undefined && isUnknown(a, b) ? null : order === 0
}

function unequal(a: Scalar, b: Scalar): boolean | null {
  const isEqual = equal(a, b)
  return isEqual === null ? null : !isEqual
}

/** Null between values without a common order. */
function ordering(holds: (order: number) => boolean): ScalarFunction {
  const apply = (a: Scalar, b: Scalar) => {
    const order = compareValues(a, b)
    return order === undefined ? null : holds(order)
  }
  return prepared(2, 'boolean', (constants) => withTimes(constants, apply))
}

/** Reads a literal next to times once, in advance. A text that is no time is compared as a text. */
function withTimes(
  constants: readonly (Scalar | undefined)[],
  apply: (a: Scalar, b: Scalar) => Scalar,
): (a: Scalar, b: Scalar) => Scalar {
  const moments = constants.map((value) => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined
    const us = momentUs(value)
    return us === undefined ? undefined : new Timestamp(us)
  })
  if (moments.every((moment) => moment === undefined)) return apply
  return (a, b) => apply(moments[0] && isTime(b) ? moments[0] : a, moments[1] && isTime(a) ? moments[1] : b)
}

/** Fewer literals are compared in a loop. */
const LEAST_MEMBERS = 8

/** `x in (a, b, …)`: true if an item equals x, else null if a comparison is null, else false. */
function isAmong([value, ...items]: readonly Cell[], [, ...literals]: readonly (Scalar | undefined)[]): Cell {
  if (items.length >= LEAST_MEMBERS && !literals.includes(undefined)) return isMember(value!, literals as Scalar[])
  return (position) => {
    const wanted = value!(position)
    if (wanted === null) return null
    let result: boolean | null = false
    for (const item of items) {
      const other = item(position)
      const isEqual = other === null ? null : equal(wanted, other)
      if (isEqual === true) return true
      if (isEqual === null) result = null
    }
    return result
  }
}

function isMember(value: Cell, items: readonly Scalar[]): Cell {
  let members: Membership | undefined
  return (position) => {
    const wanted = value(position)
    members ??= new Membership(items)
    return members.has(wanted)
  }
}

/** The value is evaluated only if there are elements. */
function isInList([value]: readonly Cell[], [, list]: readonly (Scalar | undefined)[]): Cell {
  if (!Array.isArray(list)) throw queryError('The list of in_list must be a literal.')
  if (list.length === 0) return () => false
  const members = membershipOf(list)
  return (position) => members.has(value!(position))
}

/** Null if an argument is null. */
function extreme(wins: (order: number) => boolean): ScalarFunction {
  return {
    arity: [1, Number.POSITIVE_INFINITY],
    type: commonType,
    isStrict: true,
    bind: (args) => (position) => {
      let best: Scalar = null
      for (const [i, arg] of args.entries()) {
        const value = arg(position)
        if (value === null) return null
        if (i === 0 || wins(compareValues(value, best) ?? compareAll(value, best))) best = value
      }
      return best
    },
  }
}
