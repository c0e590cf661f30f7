/** Numbers as doubles. */
import { byteAt, DOT, MINUS, ZERO } from '../base/bytes'
import { doubleOf } from '../base/host'

/** Integers of this many digits, and the powers of ten up to it, are exact as doubles. */
const EXACT_DIGITS: usize = 15

/** The powers of ten from 0 to EXACT_DIGITS. */
const POWERS: usize = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
])

/** Returns whether the JSON number [start, end) is an integer in so many digits that a double may not hold it. */
export function isLongInteger(start: usize, end: usize): bool {
  const first = start + <usize>(byteAt(start) == MINUS)
  if (end - first <= EXACT_DIGITS) return false
  for (let p = first; p < end; p++) if (byteAt(p) - ZERO > 9) return false
  return true
}

/**
 * Returns the JSON number [start, end) as the nearest double, NaN if that is not finite. A number with few digits and
 * no exponent is one division of exact doubles (W. D. Clinger, How to Read Floating Point Numbers Accurately); the host
 * reads all others.
 */
export function readNumber(start: usize, end: usize): f64 {
  const isNegative = byteAt(start) == MINUS
  let digits: u64 = 0
  let fraction = end
  const first = start + <usize>isNegative
  if (end - first > EXACT_DIGITS + 1) return doubleOf(start, end)
  for (let p = first; p < end; p++) {
    const digit = byteAt(p) - ZERO
    if (digit <= 9) digits = digits * 10 + digit
    else if (byteAt(p) == DOT) fraction = p + 1
    else return doubleOf(start, end)
  }
  const value = <f64>digits / load<f64>(POWERS + 8 * (end - fraction))
  return isNegative ? -value : value
}
