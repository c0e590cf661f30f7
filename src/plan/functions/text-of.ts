import { dateText, datetimeText, timestampText } from '../values/times.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../values/values.js'

/** The text of a value as `cast(x as string)` returns it; lists and JSON as JSON. Null is not a value here. */
export function textOf(value: Scalar): string {
  if (typeof value === 'string') return value
  if (value instanceof Timestamp) return timestampText(value.us)
  if (value instanceof Datetime) return datetimeText(value.us)
  if (value instanceof CivilDate) return dateText(value.days)
  if (value instanceof RawJson) return value.text
  return Array.isArray(value) ? jsonOf(value) : String(value)
}

/** The JSON of a value: times as ISO 8601 texts, a timestamp with `Z`; integers with all digits. */
export function jsonOf(value: Scalar): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return JSON.stringify(value)
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Timestamp) return `"${datetimeText(value.us)}Z"`
  return value instanceof RawJson ? value.text : JSON.stringify(textOf(value))
}
