/** Decodes the content of a JSON string with escapes to UTF-8. */
import { BACKSLASH, byteAt, hex4 } from '../base/bytes'

const REPLACEMENT: u32 = 0xfffd
/** `u`, which starts an escape with four hexadecimal digits. */
export const LETTER_u: u32 = 0x75

/**
 * Decodes the content [p, end) of a valid JSON string to `to`. Returns the address after the decoded text, or its
 * complement (`~`, negative) if the string has a lone surrogate, which is replaced by U+FFFD. The text never grows; up
 * to 15 bytes after it may be overwritten.
 */
export function unescape(p: usize, end: usize, to: usize): i32 {
  let lone = false
  while (true) {
    const length = plainLength(p, end, to)
    p += length
    to += length
    if (p == end) return lone ? ~(<i32>to) : <i32>to
    if (byteAt(p + 1) != LETTER_u) {
      store<u8>(to++, escapeValue(byteAt(p + 1)))
      p += 2
      continue
    }
    const unit = hex4(p + 2)
    const isPaired = isHigh(unit) && isLow(unitAt(p + 6))
    if (!isPaired && isSurrogate(unit)) lone = true
    to = putCodePoint(isPaired ? codePointOf(unit, unitAt(p + 6)) : unit, to)
    p += isPaired ? 12 : 6
  }
}

/** Copies the bytes before the next backslash in [p, end), and returns their number. */
// @ts-ignore: decorator
@inline
function plainLength(p: usize, end: usize, to: usize): usize {
  const start = p
  for (; p < end; p += 16, to += 16) {
    const bytes = v128.load(p)
    v128.store(to, bytes)
    const stops = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)))
    if (stops != 0) return min(p + ctz(stops), end) - start
  }
  return end - start
}

/** Returns the byte that the letter after a backslash encodes; a quote, a slash and a backslash encode themselves. */
export function escapeValue(letter: u32): u32 {
  switch (letter) {
    case 0x62: // b
      return 0x08
    case 0x66: // f
      return 0x0c
    case 0x6e: // n
      return 0x0a
    case 0x72: // r
      return 0x0d
    case 0x74: // t
      return 0x09
    default:
      return letter
  }
}

/** Returns the UTF-16 unit of the escape `\uXXXX` at `p`, 0 if there is none. */
export function unitAt(p: usize): u32 {
  return byteAt(p) == BACKSLASH && byteAt(p + 1) == LETTER_u ? hex4(p + 2) : 0
}

/** Returns whether the UTF-16 unit is a high (leading) surrogate. */
export function isHigh(unit: u32): bool {
  return unit >> 10 == 0x36
}

/** Returns whether the UTF-16 unit is a low (trailing) surrogate. */
export function isLow(unit: u32): bool {
  return unit >> 10 == 0x37
}

function isSurrogate(unit: u32): bool {
  return unit >> 11 == 0x1b
}

/** Returns the code point of a surrogate pair. */
export function codePointOf(high: u32, low: u32): u32 {
  return 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff)
}

/** Writes a code point as UTF-8, a surrogate as U+FFFD. Returns the address after it. */
function putCodePoint(codePoint: u32, to: usize): usize {
  if (codePoint < 0x80) {
    store<u8>(to, codePoint)
    return to + 1
  }
  if (codePoint < 0x800) {
    store<u8>(to, 0xc0 | (codePoint >> 6))
    return putTail(codePoint, 1, to + 1)
  }
  if (codePoint < 0x10000) {
    const valid = isSurrogate(codePoint) ? REPLACEMENT : codePoint
    store<u8>(to, 0xe0 | (valid >> 12))
    return putTail(valid, 2, to + 1)
  }
  store<u8>(to, 0xf0 | (codePoint >> 18))
  return putTail(codePoint, 3, to + 1)
}

/** Writes the `count` bytes after the first, six bits each. Returns the address after them. */
function putTail(codePoint: u32, count: u32, to: usize): usize {
  for (let left = count; left > 0; left--) store<u8>(to++, 0x80 | ((codePoint >> (6 * (left - 1))) & 0x3f))
  return to
}
