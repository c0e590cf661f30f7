/**
 * Values as ClickHouse's SQL spells them. A text goes in as the hex digits of its UTF-8 bytes, so that nothing in it can
 * end the literal, whatever the server's version makes of quotes, backslashes and NUL.
 */
export function textValue(text: string): string {
  return `unhex('${Buffer.from(text).toString('hex')}')`
}

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** A moment of time, or another integer; the ends of the type stand for what lies beyond them. NaN is a RangeError. */
export function int64Value(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return `${INT64_MAX}`
  if (value === Number.NEGATIVE_INFINITY) return `${INT64_MIN + 1n}`
  return `${BigInt(value)}`
}

/** Any double to its last bit: decimal texts of some lose theirs on servers of 2018. */
export function doubleValue(value: number): string {
  if (Number.isSafeInteger(value)) return `toFloat64(${value})`
  const bits = new BigInt64Array(Float64Array.of(value).buffer)[0]
  return `reinterpretAsFloat64(reinterpretAsString(toInt64(${bits})))`
}

/** A name of the configuration: of a database or a cluster. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``
}
