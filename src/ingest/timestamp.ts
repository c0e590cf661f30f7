import { parseIso8601 } from '../base/iso8601.js'
import { HOUR_US, MINUTE_US, SECOND_US } from '../base/units.js'
import { COLON, LETTER_E, LETTER_e, latin1, MINUS, NINE, POINT, ZERO } from './bytes.js'

const LETTER_T = 0x54
const LETTER_Z = 0x5a

/** An ISO 8601 text in bytes[start, end) as microseconds since the epoch; NaN where it is not one. */
export function timestampOfText(bytes: Uint8Array, start: number, end: number): number {
  const timestampUs = commonForm(bytes, start, end)
  return Number.isNaN(timestampUs) ? (parseIso8601(latin1(bytes, start, end)) ?? Number.NaN) : timestampUs
}

/** `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, which nearly every record has; NaN for any other form and for faults. */
function commonForm(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 20 || end - start > 30 || bytes[end - 1] !== LETTER_Z) return Number.NaN
  if (bytes[start + 10] !== LETTER_T || bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return Number.NaN
  const hour = twoDigits(bytes, start + 11)
  const minute = twoDigits(bytes, start + 14)
  const second = twoDigits(bytes, start + 17)
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN
  const timeUs = hour * HOUR_US + minute * MINUTE_US + second * SECOND_US
  return dayUs(bytes, start) + timeUs + fractionUs(bytes, start + 19, end - 1)
}

/** The date seen last: rows come in order of time, so that it is nearly always the next one too. */
const lastDate = { text: new Uint8Array(10), us: Number.NaN }

/** Midnight of the date `YYYY-MM-DD` at `start`; NaN where it is not one. */
function dayUs(bytes: Uint8Array, start: number): number {
  for (let i = 0; i < 10; i++) {
    if (bytes[start + i] === lastDate.text[i]) continue
    lastDate.text.set(bytes.subarray(start, start + 10))
    lastDate.us = parseIso8601(latin1(bytes, start, start + 10)) ?? Number.NaN
    break
  }
  return lastDate.us
}

function twoDigits(bytes: Uint8Array, p: number): number {
  const tens = bytes[p]! - ZERO
  const ones = bytes[p + 1]! - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** `.123456789` cut to the microsecond; 0 for the empty text, NaN for anything else. */
function fractionUs(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 0
  if (bytes[start] !== POINT || end - start < 2) return Number.NaN
  let us = 0
  for (let p = start + 1; p < end; p++) {
    if (bytes[p]! < ZERO || bytes[p]! > NINE) return Number.NaN
    if (p <= start + 6) us = us * 10 + (bytes[p]! - ZERO)
  }
  for (let digits = end - start - 1; digits < 6; digits++) us *= 10
  return us
}

/** Beyond these many digits of microseconds it is past the year 300,000: the end of time serves. */
const MAX_DIGITS = 19

/**
 * The JSON number in bytes[start, end), an epoch time, in microseconds: below 1e11 it counts seconds, below 1e14
 * milliseconds, below 1e17 microseconds, else nanoseconds. Read from the decimal text, so that it is exact; digits below
 * the microsecond are cut. Exact up to 2^53 µs (the year 2255), infinite where it is far beyond.
 */
export function timestampOfNumber(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === MINUS
  let p = negative ? start + 1 : start
  while (p < end && (bytes[p] === ZERO || bytes[p] === POINT)) p++
  const first = p
  let point = -1
  for (let q = start; q < end && point < 0; q++) if (bytes[q] === POINT || isE(bytes[q]!)) point = q
  if (point < 0) point = end
  let exponentAt = point
  while (exponentAt < end && !isE(bytes[exponentAt]!)) exponentAt++
  if (first >= exponentAt) return 0
  // The value is 0.ddd… × 10^magnitude, its first digit not 0.
  const magnitude = (first < point ? point - first : point + 1 - first) + exponentOf(bytes, exponentAt + 1, end)
  const digits = magnitude + shiftOf(negative ? 0 : magnitude)
  if (digits > MAX_DIGITS) return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const us = leadingDigits(bytes, first, exponentAt, digits)
  return negative ? -us : us
}

const isE = (byte: number): boolean => byte === LETTER_e || byte === LETTER_E

/** The power of ten that makes microseconds of a number with so many digits before its point. */
function shiftOf(magnitude: number): number {
  if (magnitude <= 11) return 6
  if (magnitude <= 14) return 3
  return magnitude <= 17 ? 0 : -3
}

/** The exponent in bytes[start, end), 0 where that is empty; bounded, since a line has no 1e9 digits to make up for it. */
function exponentOf(bytes: Uint8Array, start: number, end: number): number {
  return start >= end ? 0 : Math.max(-1e9, Math.min(1e9, Number(latin1(bytes, start, end))))
}

/** The first `count` digits of bytes[start, end), its point passed over, zeros behind its end. */
function leadingDigits(bytes: Uint8Array, start: number, end: number, count: number): number {
  let value = 0
  let p = start
  for (let taken = 0; taken < count; p++) {
    if (p < end && bytes[p] === POINT) continue
    value = value * 10 + (p < end ? bytes[p]! - ZERO : 0)
    taken++
  }
  return value
}
