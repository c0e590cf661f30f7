/** The times in the values of an answer. */
import { isNumber } from '../api/api.js'
import { usOf } from '../shared/range.js'

/** A day, with or without a time of day and an offset. Without an offset, the time is UTC. */
const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** Returns whether a text is a time in ISO 8601, or a day. */
export const isTimeText = (value: unknown): value is string => typeof value === 'string' && TIME.test(value)

/** Returns whether a text is a day without a time of day. */
export const isDay = (value: unknown): boolean => isTimeText(value) && value.length === 10

/** Returns a time in microseconds since 1970, from a number of microseconds or from ISO 8601. Else returns NaN. */
export const timeUsOf = (value: unknown): number => Number(exactUsOf(value))

/** The same with every microsecond: a bigint if no double holds the time. */
export function exactUsOf(value: unknown): number | bigint {
  if (typeof value === 'number') return value
  if (isNumber(value)) return wholeOf(JSON.stringify(value))
  if (!isTimeText(value)) return Number.NaN
  const text = value.replace(' ', 'T')
  const iso = text.length === 10 || /(?:Z|[+-]\d\d:?\d\d)$/.test(text.slice(10)) ? text : `${text}Z`
  const us = usOf(iso)
  return Math.abs(us) > Number.MAX_SAFE_INTEGER ? farUsOf(iso) : us
}

const wholeOf = (digits: string) => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number.NaN)

/** The whole second of a text, and then the fraction. */
function farUsOf(iso: string): bigint {
  const fraction = /\.(\d+)/.exec(iso)?.[1] ?? ''
  const second = Date.parse(iso.replace(`.${fraction}`, ''))
  return BigInt(second) * 1_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}
