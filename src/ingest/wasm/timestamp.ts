import { LETTER_E, LETTER_e, latin1, MINUS, POINT, ZERO } from '../../base/text/ascii.js'
import { parseIso8601 } from '../../base/time/iso8601.js'

const DIGITS = /^\d+(?:\.\d+)?$/

/** Returns the text in bytes[start, end), ISO 8601 or the digits of an epoch, in microseconds. NaN for other texts. */
export function timestampOfText(bytes: Uint8Array, start: number, end: number): number {
  const text = latin1(bytes, start, end)
  if (DIGITS.test(text)) return timestampOfNumber(bytes, start, end)
  return parseIso8601(text) ?? Number.NaN
}

/** More digits of microseconds than this mean a year after 300,000: the result is infinite. */
const MAX_DIGITS = 19

/**
 * Returns the JSON number in bytes[start, end), an epoch, in microseconds: values below 1e11 count seconds, below 1e14
 * milliseconds, below 1e17 microseconds, other values nanoseconds. The number is read from the decimal text and thus
 * exact, without digits below the microsecond. Exact up to 2^53 µs (the year 2255), infinite far beyond.
 */
export function timestampOfNumber(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === MINUS
  let p = negative ? start + 1 : start
  while (p < end && (bytes[p] === ZERO || bytes[p] === POINT)) p++
  const first = p
  let point = -1
  for (let q = start; q < end && point < 0; q++) if (bytes[q] === POINT || isE(bytes[q])) point = q
  if (point < 0) point = end
  let exponentAt = point
  while (exponentAt < end && !isE(bytes[exponentAt])) exponentAt++
  if (first >= exponentAt) return 0
  // The value is 0.ddd… × 10^magnitude, the first digit not 0.
  const magnitude = (first < point ? point - first : point + 1 - first) + exponentOf(bytes, exponentAt + 1, end)
  const digits = magnitude + shiftOf(negative ? 0 : magnitude)
  if (digits > MAX_DIGITS) return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const us = leadingDigits(bytes, first, exponentAt, digits)
  return negative ? -us : us
}

const isE = (byte: number): boolean => byte === LETTER_e || byte === LETTER_E

/** Returns the power of ten that converts a number with `magnitude` digits before the point to microseconds. */
function shiftOf(magnitude: number): number {
  if (magnitude <= 11) return 6
  if (magnitude <= 14) return 3
  return magnitude <= 17 ? 0 : -3
}

/** Returns the exponent in bytes[start, end), 0 for an empty range. Bounded, since no line has 1e9 digits. */
function exponentOf(bytes: Uint8Array, start: number, end: number): number {
  return start >= end ? 0 : Math.max(-1e9, Math.min(1e9, Number(latin1(bytes, start, end))))
}

/** Returns the first `count` digits of bytes[start, end) as a number: skips the point, pads with zeros. */
function leadingDigits(bytes: Uint8Array, start: number, end: number, count: number): number {
  let value = 0
  let p = start
  for (let taken = 0; taken < count; p++) {
    if (p < end && bytes[p] === POINT) continue
    value = value * 10 + (p < end ? bytes[p] - ZERO : 0)
    taken++
  }
  return value
}
