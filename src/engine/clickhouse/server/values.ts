import type { TimeRange } from '../../../plan/plan.js'

/**
 * Returns a text as a SQL expression: the hex digits of the UTF-8 bytes, so that no character can end the literal,
 * however the server's version treats quotes, backslashes and NUL.
 */
export function textValue(text: string): string {
  return `unhex('${Buffer.from(text).toString('hex')}')`
}

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** Returns an integer, such as a time, as SQL. Infinities become the ends of Int64. Throws a RangeError for NaN. */
export function int64Value(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return `${INT64_MAX}`
  if (value === Number.NEGATIVE_INFINITY) return `${INT64_MIN + 1n}`
  return `${BigInt(value)}`
}

/** Returns the condition that a row is in a range of time. */
export const timeCondition = ({ fromUs, throughUs }: TimeRange): string =>
  `timestamp >= ${int64Value(fromUs)} AND timestamp <= ${int64Value(throughUs)}`

/** Returns the number of a moment's bucket since the epoch, by a division that rounds down before 1970 too. */
export function bucketNumber(moment: string, lengthUs: number): string {
  const us = `toInt64(${lengthUs})`
  return `intDiv(${moment} - if(${moment} < 0, ${us} - 1, 0), ${us})`
}

/** Returns a double as SQL, exact to the last bit: servers of 2018 round some decimal texts. */
export function doubleValue(value: number): string {
  if (Number.isSafeInteger(value)) return `toFloat64(${value})`
  const bits = new BigInt64Array(Float64Array.of(value).buffer)[0]
  return `reinterpretAsFloat64(reinterpretAsString(toInt64(${bits})))`
}

/** Returns the quoted name of a database or a cluster. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``
}
