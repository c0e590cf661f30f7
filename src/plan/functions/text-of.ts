import type { Moment } from '../../base/time/moment.js'
import { civilText, dateText, timestampText } from '../values/times.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../values/values.js'
import { MAX_VALUE_LENGTH, tooLong } from './function.js'

/** The text of a value, as in `cast(x as string)`. Lists and JSON are spelled as JSON. Null is not a value here. */
export function textOf(value: Scalar): string {
  if (typeof value === 'string') return value
  if (value instanceof Timestamp) return timestampText(value.us)
  if (value instanceof Datetime) return civilText(value.us)
  if (value instanceof CivilDate) return dateText(value.days)
  if (value instanceof RawJson) return value.text
  return Array.isArray(value) ? jsonOf(value) : String(value)
}

/**
 * The JSON of a list. `elementOf` returns the JSON of an element. Throws `too_much_memory`, before the text is made, if
 * the text is longer than a value may be.
 */
export function jsonOfList(list: readonly Scalar[], elementOf: (element: Scalar) => string): string {
  let least = 2
  for (const element of list) least += typeof element === 'string' ? element.length + 3 : 2
  if (least > MAX_VALUE_LENGTH) throw tooLong()
  // The text as a whole takes a tenth of the time.
  return list.every(isPlain) ? JSON.stringify(list) : `[${list.map(elementOf).join(',')}]`
}

/** Whether `JSON.stringify` returns the JSON of a value. */
export const isPlain = (value: Scalar): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null

const isoText = (us: Moment) => civilText(us).replace(' ', 'T')

/**
 * The JSON of a value: times as ISO 8601 texts with no, three or six digits of a fraction, a timestamp with `Z`, and
 * integers with all digits.
 */
export function jsonOf(value: Scalar): string {
  if (Array.isArray(value)) return jsonOfList(value, jsonOf)
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return JSON.stringify(value)
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Timestamp) return `"${isoText(value.us)}Z"`
  if (value instanceof Datetime) return `"${isoText(value.us)}"`
  return value instanceof RawJson ? value.text : JSON.stringify(textOf(value))
}
