/** Compares contents of JSON strings that may be spelled differently. */
import { BACKSLASH, byteAt } from '../base/bytes'
import { codePointOf, escapeValue, isHigh, isLow, LETTER_u, unitAt } from './unescape'

/** Address after the code point that `codePointAt` returned last. */
let after: usize = 0

/**
 * Returns whether the valid contents [a, endA) and [b, endB) are the same text. A lone surrogate equals itself only.
 */
export function areSameText(a: usize, endA: usize, b: usize, endB: usize): bool {
  while (a < endA && b < endB) {
    const point = codePointAt(a)
    a = after
    if (codePointAt(b) != point) return false
    b = after
  }
  return a == endA && b == endB
}

/** Returns the code point at `p`, which may be an escape or a pair of them; a lone surrogate as its own number. */
function codePointAt(p: usize): u32 {
  if (byteAt(p) != BACKSLASH) return decodeUtf8(p)
  after = p + 2
  if (byteAt(p + 1) != LETTER_u) return escapeValue(byteAt(p + 1))
  const unit = unitAt(p)
  const next = isHigh(unit) ? unitAt(p + 6) : 0
  after = p + (isLow(next) ? 12 : 6)
  return isLow(next) ? codePointOf(unit, next) : unit
}

/** Returns the code point of the UTF-8 sequence at `p`. */
function decodeUtf8(p: usize): u32 {
  const first = byteAt(p)
  const length: u32 = first < 0x80 ? 1 : clz(~(first << 24))
  after = p + length
  let point = length == 1 ? first : first & (0xff >> (length + 1))
  for (let i: u32 = 1; i < length; i++) point = (point << 6) | (byteAt(p + i) & 0x3f)
  return point
}
