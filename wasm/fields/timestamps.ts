/** Timestamps of the common forms, in microseconds since the epoch; the host reads all others. */
import { byteAt, COLON, DOT, MINUS, ZERO } from '../base/bytes'
import { timestampOfNumber, timestampOfText } from '../base/host'

const LETTER_T: u32 = 0x54
const LETTER_Z: u32 = 0x5a
const SECOND_US: f64 = 1e6
const DAY_US: f64 = 86400e6

/** Returns the ISO 8601 text [start, end) in microseconds, NaN if it is not valid. */
export function isoTimestamp(start: usize, end: usize): f64 {
  const timestampUs = commonForm(start, end)
  return isNaN(timestampUs) ? timestampOfText(start, end) : timestampUs
}

/**
 * Reads `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, which nearly every record has. Returns NaN for any other form and for
 * faults.
 */
function commonForm(p: usize, end: usize): f64 {
  if (end - p < 20 || end - p > 30 || byteAt(end - 1) != LETTER_Z) return NaN
  if (byteAt(p + 10) != LETTER_T || byteAt(p + 13) != COLON || byteAt(p + 16) != COLON) return NaN
  const hour = digitsAt(p + 11, 2)
  const minute = digitsAt(p + 14, 2)
  const second = digitsAt(p + 17, 2)
  if (hour > 23 || minute > 59 || second > 59) return NaN
  return dayUs(p) + <f64>(hour * 3600 + minute * 60 + second) * SECOND_US + fractionUs(p + 19, end - 1)
}

/** Returns the number of the `count` digits at `p`, at most nine; NO_NUMBER if one of them is not a digit. */
function digitsAt(p: usize, count: usize): u32 {
  let value: u32 = 0
  for (const end = p + count; p < end; p++) {
    const digit = byteAt(p) - ZERO
    if (digit > 9) return NO_NUMBER
    value = value * 10 + digit
  }
  return value
}

const NO_NUMBER: u32 = 1 << 30

/** Bytes of the last date, and its midnight: records are sent in order of time, so the next one mostly has the same. */
let lastYearMonth: u64 = 0
let lastDay: u32 = 0
let lastUs: f64 = NaN

/** Returns midnight of the date `YYYY-MM-DD` at `p`, NaN if it is not valid. */
function dayUs(p: usize): f64 {
  const yearMonth = load<u64>(p)
  const day = <u32>load<u16>(p + 8)
  if (yearMonth != lastYearMonth || day != lastDay) {
    lastYearMonth = yearMonth
    lastDay = day
    lastUs = readDate(p)
  }
  return lastUs
}

function readDate(p: usize): f64 {
  const year = digitsAt(p, 4)
  const month = digitsAt(p + 5, 2)
  const day = digitsAt(p + 8, 2)
  if (byteAt(p + 4) != MINUS || byteAt(p + 7) != MINUS || year == NO_NUMBER) return NaN
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return NaN
  return <f64>daysSinceEpoch(year, month, day) * DAY_US
}

function daysIn(year: u32, month: u32): u32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}

/**
 * Returns the days from 1970-01-01, as src/base/time/iso8601.ts does. The year starts in March; 400 added years keep it
 * positive.
 */
function daysSinceEpoch(year: i32, month: i32, day: i32): i32 {
  const y = (month <= 2 ? year - 1 : year) + 400
  const dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return y * 365 + y / 4 - y / 100 + y / 400 + dayOfYear - (719468 + DAYS_IN_400_YEARS)
}

const DAYS_IN_400_YEARS = 146097

/** Reads `.123456789` truncated to microseconds. Returns 0 for the empty text, NaN for anything else. */
function fractionUs(p: usize, end: usize): f64 {
  if (p == end) return 0
  if (byteAt(p) != DOT || end - p < 2) return NaN
  const count = end - p - 1
  let us = digitsAt(p + 1, count)
  if (us == NO_NUMBER) return NaN
  for (let digits = count; digits < 6; digits++) us *= 10
  for (let digits = count; digits > 6; digits--) us /= 10
  return us
}

/**
 * Returns the number [start, end), an epoch time, in microseconds: see `timestampOfNumber` in
 * src/ingest/wasm/timestamp.ts.
 */
export function epochTimestamp(start: usize, end: usize): f64 {
  const length = end - start
  if (length != MILLISECOND_DIGITS && length != MICROSECOND_DIGITS) return timestampOfNumber(start, end)
  let value: i64 = 0
  for (let p = start; p < end; p++) {
    const digit = byteAt(p) - ZERO
    if (digit > 9) return timestampOfNumber(start, end)
    value = value * 10 + digit
  }
  return <f64>(length == MILLISECOND_DIGITS ? value * 1000 : value)
}

/** Digits of a present time in these units; no other unit has that many. */
const MILLISECOND_DIGITS: usize = 13
const MICROSECOND_DIGITS: usize = 16
