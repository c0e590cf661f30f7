import type { Moment } from '../../base/time/moment.js'
import type { CAST_TYPE_NAMES } from '../../common/sql-words.js'
import {
  int64,
  isTime,
  momentUs,
  numberOf,
  RawJson,
  type Scalar,
  TIME_OF,
  type Type,
  timeUs,
} from '../values/values.js'
import { queryError, type ScalarFunction, strict } from './function.js'
import { textOf } from './text-of.js'

/** The types that a value can be cast to, by the name that the plan has, with their static type. */
export const CAST_TYPES = {
  string: 'text',
  int64: 'integer',
  float64: 'number',
  bool: 'boolean',
  timestamp: 'timestamp',
  datetime: 'datetime',
  date: 'date',
} as const satisfies Record<CastType, Type>

/** A type that a value can be cast to. */
export type CastType = (typeof CAST_TYPE_NAMES)[number]

/** A conversion returns undefined if the value cannot be converted. */
const CONVERSIONS: Readonly<Record<CastType, (value: Scalar) => Scalar | undefined>> = {
  string: textOf,
  int64: toInteger,
  float64: toDouble,
  bool: toBoolean,
  timestamp: (value) => timeOf(value, TIME_OF.timestamp),
  datetime: (value) => timeOf(value, TIME_OF.datetime),
  date: (value) => timeOf(value, TIME_OF.date),
}

/** Conversions between types: if x cannot be converted, `cast_int64(x)` fails, and `safe_cast_int64(x)` is null. */
export const CAST = {
  ...castsTo('string'),
  ...castsTo('int64'),
  ...castsTo('float64'),
  ...castsTo('bool'),
  ...castsTo('timestamp'),
  ...castsTo('datetime'),
  ...castsTo('date'),
}

function castsTo<T extends CastType>(type: T) {
  return {
    [`cast_${type}`]: castTo(type, false),
    [`safe_cast_${type}`]: castTo(type, true),
  } as Record<`cast_${T}` | `safe_cast_${T}`, ScalarFunction>
}

function castTo(type: CastType, isSafe: boolean): ScalarFunction {
  const convert = CONVERSIONS[type]
  const failed = () => queryError(`A value cannot be cast to ${type}: use safe_cast, which is null then.`)
  return strict(1, CAST_TYPES[type], (value: Scalar) => {
    const result = convert(value)
    if (result !== undefined) return result
    if (isSafe) return null
    throw failed()
  })
}

/** Fractions round to the nearest, halves away from zero. */
function toInteger(value: Scalar): Scalar | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0
  const number = typeof value === 'string' ? integerOfText(value) : numberOf(value)
  if (typeof number === 'bigint') return int64(number)
  if (number === undefined || Number.isSafeInteger(number)) return number
  const rounded = Math.sign(number) * Math.round(Math.abs(number))
  return Number.isFinite(rounded) ? int64(BigInt(rounded)) : undefined
}

const INTEGER = /^([+-]?)(0[xX])?0*([\da-fA-F]*)$/
/** No integer of 64 bits has more digits, so that no text of a million digits is multiplied out. */
const MOST_DIGITS = 20

function integerOfText(text: string): number | bigint | undefined {
  const [, sign, prefix = '', digits = ''] = INTEGER.exec(text) ?? []
  const isInteger = prefix === '' ? /^[+-]?\d+$/.test(text) : text.length > sign!.length + prefix.length
  if (sign === undefined || !isInteger || digits.length > MOST_DIGITS) return undefined
  const value = BigInt(`${prefix}0${digits}`)
  return int64(sign === '-' ? -value : value)
}

function toDouble(value: Scalar): Scalar | undefined {
  const number = numberOf(value)
  return number === undefined ? undefined : Number(number)
}

function toBoolean(value: Scalar): Scalar | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) !== 0
  if (typeof value !== 'string') return undefined
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

function timeOf(value: Scalar, make: (us: Moment) => Scalar): Scalar | undefined {
  const us = isTime(value) ? timeUs(value) : value instanceof RawJson ? undefined : momentUs(value)
  return us === undefined ? undefined : make(us)
}
