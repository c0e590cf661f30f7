/** Ends of numbers and literals. The caller checks the byte after them. */
import { byteAt, CASE_BIT, DOT, MINUS, ZERO } from '../base/bytes'

/** Result of the functions below if there is no valid number or literal. */
export const BAD_SCALAR: usize = 0

const TRUE: u32 = 0x65757274
const NULL: u32 = 0x6c6c756e
const FALS: u32 = 0x736c6166

/** Returns the address after the literal at `p`, or BAD_SCALAR. */
export function endOfLiteral(p: usize): usize {
  const word = load<u32>(p)
  if (word == TRUE || word == NULL) return p + 4
  return word == FALS && byteAt(p + 4) == 0x65 ? p + 5 : BAD_SCALAR
}

/** Returns the address after the number at `p` (RFC 8259, section 6), or BAD_SCALAR. */
export function endOfNumber(p: usize): usize {
  if (byteAt(p) == MINUS) p++
  const whole = endOfDigits(p)
  if (whole == p || (byteAt(p) == ZERO && whole != p + 1)) return BAD_SCALAR
  const next = byteAt(whole)
  return next == DOT || (next | CASE_BIT) == 0x65 ? endOfFraction(whole) : whole
}

/** Reads a fraction, an exponent or both after the integer part. Returns the address after them, or BAD_SCALAR. */
function endOfFraction(p: usize): usize {
  if (byteAt(p) == DOT) {
    const end = endOfDigits(p + 1)
    if (end == p + 1) return BAD_SCALAR
    p = end
  }
  return (byteAt(p) | CASE_BIT) == 0x65 ? endOfExponent(p + 1) : p
}

function endOfExponent(p: usize): usize {
  const sign = byteAt(p)
  if (sign == 0x2b || sign == MINUS) p++
  const end = endOfDigits(p)
  return end == p ? BAD_SCALAR : end
}

/** Returns the first address from `p` on that is not a digit. */
// @ts-ignore: decorator
@inline
function endOfDigits(p: usize): usize {
  while (true) {
    const digits = i8x16.le_u(i8x16.sub(v128.load(p), i8x16.splat(0x30)), i8x16.splat(9))
    const others = ~i8x16.bitmask(digits) & 0xffff
    if (others != 0) return p + ctz(others)
    p += 16
  }
}
