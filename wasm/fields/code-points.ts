/** Comparing the contents of JSON strings that are spelled differently. */
import { BACKSLASH, byteAt } from '../base/bytes'
import { codePointOf, isHigh, isLow, LETTER_u, meaning, unitAt } from './unescape'

/** The address behind the code point that `pointAt` gave last. */
let behind: usize = 0

/** Whether the valid contents [a, endA) and [b, endB) mean the same text. Lone surrogates differ by their number. */
export function areSameText(a: usize, endA: usize, b: usize, endB: usize): bool {
  while (a < endA && b < endB) {
    const point = pointAt(a)
    a = behind
    if (pointAt(b) != point) return false
    b = behind
  }
  return a == endA && b == endB
}

/** The code point that begins at `p`, which may be spelled as an escape or as a pair of them; a lone surrogate as it is. */
function pointAt(p: usize): u32 {
  if (byteAt(p) != BACKSLASH) return pointOfBytes(p)
  behind = p + 2
  if (byteAt(p + 1) != LETTER_u) return meaning(byteAt(p + 1))
  const unit = unitAt(p)
  const next = isHigh(unit) ? unitAt(p + 6) : 0
  behind = p + (isLow(next) ? 12 : 6)
  return isLow(next) ? codePointOf(unit, next) : unit
}

/** The code point of the UTF-8 sequence at `p`. */
function pointOfBytes(p: usize): u32 {
  const first = byteAt(p)
  const length: u32 = first < 0x80 ? 1 : clz(~(first << 24))
  behind = p + length
  let point = length == 1 ? first : first & (0xff >> (length + 1))
  for (let i: u32 = 1; i < length; i++) point = (point << 6) | (byteAt(p + i) & 0x3f)
  return point
}
