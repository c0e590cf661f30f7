import { compareMoments, dayOf, type Moment, momentAt } from '../../base/time/moment.js'
import { momentOfNumber, momentOfText } from './times.js'

/** A moment: whole microseconds since the epoch, UTC. */
export class Timestamp {
  readonly us: Moment
  constructor(us: Moment) {
    this.us = us
  }
}

/** A date and a time of day without a zone, as microseconds since the epoch, read as UTC. */
export class Datetime {
  readonly us: Moment
  constructor(us: Moment) {
    this.us = us
  }
}

/** A calendar day, in days since 1970-01-01. */
export class CivilDate {
  readonly days: number
  constructor(days: number) {
    this.days = days
  }
}

/**
 * A JSON text, of an object or a list, that is written to an answer unchanged, so that every number keeps its spelling.
 */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A value of an expression. An integer is a `number` if a double holds the integer exactly (up to 2^53), else a
 * `bigint` from -2^63 to 2^64 - 1. {@link integer} decides. Numbers are finite. A list is the result of a function,
 * never a stored value.
 */
export type Scalar =
  | null
  | boolean
  | number
  | bigint
  | string
  | Timestamp
  | Datetime
  | CivilDate
  | RawJson
  | readonly Scalar[]

/** The static type of an expression, `any` if the type differs from row to row. Values may also be null. */
export type Type =
  | 'boolean'
  | 'integer'
  /** A number of rows: an integer from 0, never null. */
  | 'count'
  | 'number'
  | 'text'
  | 'timestamp'
  | 'datetime'
  | 'date'
  | 'json'
  | 'list'
  | 'any'
  /** The literal null. */
  | 'null'

/** The types of times, each with its value of a moment in microseconds since the epoch: a date is the moment's day. */
export const TIME_OF = {
  timestamp: (us: Moment) => new Timestamp(us),
  datetime: (us: Moment) => new Datetime(us),
  date: (us: Moment) => new CivilDate(dayOf(us)),
} as const

/** The type of a time. */
export type TimeType = keyof typeof TIME_OF

/** Whether values of a type are times. */
export const isTimeType = (type: string): type is TimeType => Object.hasOwn(TIME_OF, type)

const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n
/** Hashes, trace ids and counters of other programs have no sign. */
const MAX_UINT64 = 2n ** 64n - 1n

/** Returns an integer in its canonical form, undefined if more than 64 bits are needed, with or without a sign. */
export function integer(value: bigint): number | bigint | undefined {
  if (value > MAX_UINT64 || value < MIN_INT64) return undefined
  const double = Number(value)
  return Number.isSafeInteger(double) ? double : value
}

/** The same for results of the type `int64`: undefined if the integer needs more than 64 bits with its sign. */
export const int64 = (value: bigint): number | bigint | undefined => (value > MAX_INT64 ? undefined : integer(value))

/** Whether a value is a whole number of at most 64 bits, with or without a sign. */
export const isInteger = (value: Scalar): value is number | bigint =>
  typeof value === 'bigint' || Number.isSafeInteger(value)

/** Texts of more characters than an integer of 64 bits, its sign and some zeros need are read as doubles. */
const LONGEST_INTEGER = 40
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const INTEGER = /^[+-]?\d+$/

/**
 * Returns the number that a text spells: decimal, with optional sign, fraction and exponent. Undefined for any other
 * text, or for a number beyond the range of doubles.
 */
export function numberOfText(text: string): number | bigint | undefined {
  if (!NUMBER.test(text)) return undefined
  if (INTEGER.test(text)) {
    const exact = text.length < 16 ? Number(text) + 0 : longInteger(text)
    if (exact !== undefined) return exact
  }
  const value = Number(text)
  return Number.isFinite(value) ? value + 0 : undefined
}

function longInteger(text: string): number | bigint | undefined {
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1').replace('+', '')
  return digits.length > LONGEST_INTEGER ? undefined : integer(BigInt(digits))
}

/** The number that a number or a text is, or undefined. */
export function numberOf(value: Scalar): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return typeof value === 'string' ? numberOfText(value) : undefined
}

/** Compares two numbers: exactly if both are integers, otherwise as doubles. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  if (isInteger(a) && isInteger(b)) return a < b ? -1 : a > b ? 1 : 0
  return compareNumbers(Number(a), Number(b))
}

/** Compares two texts by code point, which is the order of their UTF-8 bytes. */
export function compareTexts(a: string, b: string): number {
  // Equal texts of a megabyte are compared here in a tenth of the time.
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    // In UTF-16 a surrogate is less than U+E000 to U+FFFF, though its code point is greater.
    const [highX, highY] = [isSurrogate(x), isSurrogate(y)]
    if (highX !== highY) return highX ? 1 : -1
    return x - y
  }
  return a.length - b.length
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff

/** The rank of a value's type in the order across types: null, booleans, numbers, times, texts, JSON, lists. */
function rankOf(value: Scalar): number {
  if (value === null) return 0
  if (typeof value === 'boolean') return 1
  if (typeof value === 'number' || typeof value === 'bigint') return 2
  if (isTime(value)) return 3
  if (typeof value === 'string') return 4
  return value instanceof RawJson ? 5 : 6
}

/** Whether a value is a timestamp, a datetime or a date. */
export const isTime = (value: Scalar): value is Timestamp | Datetime | CivilDate =>
  value instanceof Timestamp || value instanceof Datetime || value instanceof CivilDate

/** The moment of a time, in microseconds. Datetimes and dates are read as UTC. */
export const timeUs = (value: Timestamp | Datetime | CivilDate): Moment =>
  value instanceof CivilDate ? momentAt(value.days, 0) : value.us

/**
 * The total order of all values, for ORDER BY, `min` and `max`: null, booleans, numbers, times, texts by code point,
 * JSON values by their bytes. Returns 0 for values of the same group.
 */
export function compareAll(a: Scalar, b: Scalar): number {
  const rank = rankOf(a)
  const difference = rank - rankOf(b)
  return difference === 0 ? compareOfRank(a, b, rank) : difference
}

function compareOfRank(a: Scalar, b: Scalar, rank: number): number {
  switch (rank) {
    case 0:
      return 0
    case 1:
      return Number(a) - Number(b)
    case 2:
      return compareNumbers(a as number, b as number)
    case 3:
      return compareMoments(timeUs(a as Timestamp), timeUs(b as Timestamp))
    case 4:
      return compareTexts(a as string, b as string)
    case 5:
      return compareTexts((a as RawJson).text, (b as RawJson).text)
    default:
      return compareLists(a as readonly Scalar[], b as readonly Scalar[])
  }
}

function compareLists(a: readonly Scalar[], b: readonly Scalar[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareAll(a[i], b[i])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Whether a comparison is null: a time next to a text or a number that is no time. Other types are just unequal. */
export function isUnknown(a: Scalar, b: Scalar): boolean {
  return isTime(a) ? isNoTime(b) : isTime(b) && isNoTime(a)
}

const isNoTime = (value: Scalar) =>
  !isTime(value) && rankOf(value) !== 1 && rankOf(value) < 5 && momentUs(value) === undefined

/**
 * Compares two values as `=` and `<` do: negative, 0 or positive. Undefined if the values have no common type. A
 * number and a text that spells a number compare as numbers, a time and a text or number as moments. `null` is not a
 * value here.
 */
export function compareValues(a: Scalar, b: Scalar): number | undefined {
  const [rankA, rankB] = [rankOf(a), rankOf(b)]
  if (rankA === rankB) return compareOfRank(a, b, rankA)
  if (rankA === 3) return compareWithTime(a as Timestamp, b)
  if (rankB === 3) return negative(compareWithTime(b as Timestamp, a))
  const [x, y] = [numberOf(a), numberOf(b)]
  return x === undefined || y === undefined ? undefined : compareNumbers(x, y)
}

const negative = (order: number | undefined) => (order === undefined ? undefined : 0 - order)

function compareWithTime(time: Timestamp | Datetime | CivilDate, other: Scalar): number | undefined {
  const otherUs = momentUs(other)
  return otherUs === undefined ? undefined : compareMoments(timeUs(time), otherUs)
}

/** Reads a value as a moment: a time, an ISO 8601 text, the digits of an epoch or a number. Else undefined. */
export function momentUs(value: Scalar): Moment | undefined {
  if (isTime(value)) return timeUs(value)
  if (typeof value === 'string') return momentOfText(value)
  if (typeof value === 'number' || typeof value === 'bigint') return momentOfNumber(value)
  return undefined
}
