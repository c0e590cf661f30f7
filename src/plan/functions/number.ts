import { int64, isInteger, numberOf, type Scalar, type Type } from '../values/values.js'
import { prepared, queryError, type ScalarFunction, strict } from './function.js'

type Numeric = number | bigint

/** Arithmetic. Integers are exact up to 64 bits, and fail beyond. Other results are doubles, and fail if not finite. */
export const NUMBER = {
  add: arithmetic(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  sub: arithmetic(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  mul: arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  div: strict(2, 'number', (a: Scalar, b: Scalar) => divide(a, b)),
  safe_divide: strict(2, 'number', (a: Scalar, b: Scalar) =>
    Number(need(b)) === 0 ? null : finiteOrNull(Number(need(a)) / Number(need(b))),
  ),
  mod: strict(2, bothIntegers, (a: Scalar, b: Scalar) => modulo(need(a), need(b))),
  neg: strict(1, sameNumber, (a: Scalar) => negate(need(a))),
  abs: strict(1, sameNumber, (a: Scalar) => (need(a) < 0 ? negate(need(a)) : need(a))),
  /** `round(x, digits)`. Halves round away from zero. */
  round: strict([1, 2], 'number', (value: Scalar, digits: Scalar = 0) => round(need(value), wholeNumber(digits))),
  floor: strict(1, 'number', (value: Scalar) => wholeBy(Math.floor, need(value))),
  ceil: strict(1, 'number', (value: Scalar) => wholeBy(Math.ceil, need(value))),
} as const

/** The number that a value is, or a text spells. Throws for any other value. */
export function need(value: Scalar): Numeric {
  const number = numberOf(value)
  if (number === undefined) throw queryError('Arithmetic needs numbers: use safe_cast(… as float64) for other values.')
  return number
}

/** The number that a value is, without its fraction. Throws if the value is no number. */
export const wholeNumber = (value: Scalar): number => Math.trunc(Number(need(value))) + 0

function bothIntegers(types: readonly Type[]): Type {
  return types.every(isWhole) ? 'integer' : 'number'
}

const isWhole = (type: Type | undefined) => type === 'integer' || type === 'count'

function sameNumber([type]: readonly Type[]): Type {
  return isWhole(type) ? 'integer' : 'number'
}

function arithmetic(double: (a: number, b: number) => number, exact: (a: bigint, b: bigint) => bigint): ScalarFunction {
  const apply = (x: Scalar, y: Scalar): Scalar => {
    const [a, b] = [need(x), need(y)]
    if (!isInteger(a) || !isInteger(b)) return finite(double(Number(a), Number(b)))
    if (typeof a === 'number' && typeof b === 'number') {
      const result = double(a, b)
      if (Number.isSafeInteger(result)) return result + 0
    }
    return within64(exact(BigInt(a), BigInt(b)))
  }
  return prepared(2, bothIntegers, () => apply)
}

function within64(value: bigint): Scalar {
  const result = int64(value)
  if (result === undefined) throw queryError('An integer of the result needs more than 64 bits.')
  return result
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw queryError('A number of the result is too large.')
  // No negative zero.
  return value + 0
}

const finiteOrNull = (value: number) => (Number.isFinite(value) ? value + 0 : null)

function divide(x: Scalar, y: Scalar): number {
  const [a, b] = [Number(need(x)), Number(need(y))]
  if (b === 0) throw queryError('Division by zero: use safe_divide(a, b), which is null then.')
  return finite(a / b)
}

/** The remainder has the sign of the dividend. */
function modulo(a: Numeric, b: Numeric): Scalar {
  if (Number(b) === 0) throw queryError('Division by zero in mod.')
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  return isInteger(a) && isInteger(b) ? within64(BigInt(a) % BigInt(b)) : Number(a) % Number(b)
}

const negate = (value: Numeric): Scalar => (typeof value === 'bigint' ? within64(-value) : 0 - value)

function round(value: Numeric, digits: number): Numeric {
  if (isInteger(value) && digits >= 0) return value
  const shifted = scale(Math.abs(Number(value)), digits)
  // From 2^52 on there are no fractions.
  if (shifted >= 2 ** 52) return Number(value)
  const whole = Math.floor(shifted)
  const rounded = finite(scale(shifted - whole >= 0.5 ? whole + 1 : whole, -digits))
  return Number(value) < 0 ? 0 - rounded : rounded
}

/** Shifts the decimal point in the text, which multiplies without a rounding error. */
function scale(value: number, digits: number): number {
  const [mantissa, exponent = '0'] = String(value).split('e') as [string, string?]
  return Number(`${mantissa}e${Number(exponent) + digits}`)
}

const wholeBy = (cut: (value: number) => number, value: Numeric): Numeric =>
  typeof value === 'bigint' ? value : cut(value) + 0
