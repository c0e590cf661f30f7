import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { type Moment, momentOf } from './times.js'

/** The error of a query, by its code. */
export class OracleError extends Error {
  readonly code: string
  constructor(code: 'invalid_sql' | 'unsupported_sql' | 'invalid_pattern' | 'too_much_memory') {
    super(code)
    this.code = code
  }
}

export const fail = (): never => {
  throw new OracleError('invalid_sql')
}

type Kind = 'null' | 'boolean' | 'number' | 'time' | 'text' | 'json' | 'list'

/** The kinds in the order across types. */
const KINDS: readonly Kind[] = ['null', 'boolean', 'number', 'time', 'text', 'json', 'list']

export function kindOf(value: Scalar): Kind {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (typeof value === 'string') return 'text'
  if (value instanceof RawJson) return 'json'
  return Array.isArray(value) ? 'list' : 'time'
}

/** An integer in the form of plans: a double if the double is exact, else 64 bits. Fails beyond. */
export function integer(value: bigint): number | bigint {
  return BigInt.asIntN(64, value) === value ? canonical(value) : fail()
}

function canonical(value: bigint): number | bigint {
  return value >= -(2n ** 53n) + 1n && value <= 2n ** 53n - 1n ? Number(value) : value
}

/** A double that is finite, and no negative zero. Fails otherwise. */
export const double = (value: number): number => (Number.isFinite(value) ? value + 0 : fail())

export const isWhole = (value: number | bigint) => typeof value === 'bigint' || Number.isSafeInteger(value)

/** The number that a number is, or a text spells: digits with sign, fraction and exponent. */
export function numeric(value: Scalar): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value !== 'string') return undefined
  const [found, sign, whole = '', fraction, exponent] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(value) ?? []
  if (found === undefined || (whole === '' && !fraction)) return undefined
  if (fraction === undefined && exponent === undefined) {
    const exact = BigInt(whole) * (sign === '-' ? -1n : 1n)
    if (exact >= -(2n ** 63n) && exact < 2n ** 64n) return canonical(exact)
  }
  const near = Number(value)
  return Number.isFinite(near) ? near : undefined
}

export const needNumber = (value: Scalar): number | bigint => numeric(value) ?? fail()

const sign = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

function compareNumbers(a: number | bigint, b: number | bigint): number {
  return isWhole(a) && isWhole(b) ? sign(BigInt(a), BigInt(b)) : sign(Number(a), Number(b))
}

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

function compareSame(kind: Kind, a: Scalar, b: Scalar): number {
  if (kind === 'null') return 0
  if (kind === 'boolean') return Number(a) - Number(b)
  if (kind === 'number') return compareNumbers(a as number, b as number)
  if (kind === 'time') return sign(momentOf(a as Moment)!, momentOf(b as Moment)!)
  if (kind === 'text') return compareTexts(a as string, b as string)
  if (kind === 'json') return compareTexts((a as RawJson).text, (b as RawJson).text)
  const [left, right] = [a as readonly Scalar[], b as readonly Scalar[]]
  const place = left.findIndex((item, i) => i >= right.length || order(item, right[i]!) !== 0)
  if (place < 0) return left.length - right.length
  return place >= right.length ? 1 : order(left[place]!, right[place]!)
}

/** The order of ORDER BY, min and max, across types. */
export function order(a: Scalar, b: Scalar): number {
  const [x, y] = [kindOf(a), kindOf(b)]
  return x === y ? compareSame(x, a, b) : KINDS.indexOf(x) - KINDS.indexOf(y)
}

/** The result of a comparison: `different` between types that have nothing in common, null for unknown. */
export function compare(a: Scalar, b: Scalar): number | 'different' | null {
  const [x, y] = [kindOf(a), kindOf(b)]
  if (x === 'null' || y === 'null') return null
  if (x === y) return compareSame(x, a, b)
  if (x === 'time' || y === 'time') {
    const other = x === 'time' ? y : x
    if (other !== 'text' && other !== 'number') return 'different'
    const [left, right] = [momentOf(a as Moment), momentOf(b as Moment)]
    return left === undefined || right === undefined ? null : sign(left, right)
  }
  const [left, right] = [numeric(a), numeric(b)]
  return left === undefined || right === undefined ? 'different' : compareNumbers(left, right)
}

/** Whether two values are equal, or null for unknown. */
export function equal(a: Scalar, b: Scalar): boolean | null {
  const result = compare(a, b)
  return result === null ? null : result === 0
}

/** A text that only values of the same group share. */
export function keyText(value: Scalar): string {
  if (typeof value === 'number') return `number ${Number.isInteger(value) ? BigInt(value) : value}`
  if (typeof value === 'bigint') return `number ${value}`
  if (value instanceof Timestamp) return `timestamp ${value.us}`
  if (value instanceof Datetime) return `datetime ${value.us}`
  if (value instanceof CivilDate) return `date ${value.days}`
  if (value instanceof RawJson) return `json ${value.text}`
  if (Array.isArray(value)) return `list ${JSON.stringify(value.map(keyText))}`
  return `${kindOf(value)} ${value}`
}
