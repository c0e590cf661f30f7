/** The times in the values of an answer. */
import { usOf } from '../shared/range.js'

/** A day, with or without a time of day and an offset. Without an offset it is UTC. */
const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** Returns whether a text is a time in ISO 8601, or a day. */
export const isTimeText = (value: unknown): value is string => typeof value === 'string' && TIME.test(value)

/** Returns whether a text is a day without a time of day. */
export const isDay = (value: unknown): boolean => isTimeText(value) && value.length === 10

/** Returns a time in microseconds since 1970: of a number of microseconds, or of ISO 8601; else NaN. */
export function timeUsOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (!isTimeText(value)) return Number.NaN
  const text = value.replace(' ', 'T')
  return usOf(text.length === 10 || /(?:Z|[+-]\d\d:?\d\d)$/.test(text.slice(10)) ? text : `${text}Z`)
}
