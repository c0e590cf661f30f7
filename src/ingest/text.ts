import { BACKSLASH, HEX, LETTER_u } from './bytes.js'

/** What each letter behind a backslash stands for; any other stands for itself. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => byte)
for (const [letter, value] of Object.entries({ b: 8, f: 12, n: 10, r: 13, t: 9 })) ESCAPED[letter.charCodeAt(0)] = value

const REPLACEMENT = 0xfffd

/**
 * Decodes the content of a valid JSON string, bytes[start, end), into UTF-8 at `at` of `target`, which needs room for
 * as many bytes as the source has. Returns the position behind what was written; its complement (`~`, which is
 * negative) where the string has a lone surrogate, in whose place U+FFFD is written.
 */
export function unescapeText(bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number {
  let out = at
  let lone = false
  for (let p = start; p < end; ) {
    const byte = bytes[p]!
    if (byte !== BACKSLASH) {
      target[out++] = byte
      p++
    } else if (bytes[p + 1] !== LETTER_u) {
      target[out++] = ESCAPED[bytes[p + 1]!]!
      p += 2
    } else {
      const unit = hex4(bytes, p + 2)
      const low = isHigh(unit) && bytes[p + 6] === BACKSLASH && bytes[p + 7] === LETTER_u ? hex4(bytes, p + 8) : 0
      const paired = isLow(low)
      lone ||= !paired && (isHigh(unit) || isLow(unit))
      out = putCodePoint(paired ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit, target, out)
      p += paired ? 12 : 6
    }
  }
  return lone ? ~out : out
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

function hex4(bytes: Uint8Array, p: number): number {
  return (HEX[bytes[p]!]! << 12) | (HEX[bytes[p + 1]!]! << 8) | (HEX[bytes[p + 2]!]! << 4) | HEX[bytes[p + 3]!]!
}

/** Writes a code point as UTF-8, a surrogate as U+FFFD; returns the position behind it. */
function putCodePoint(codePoint: number, target: Uint8Array, at: number): number {
  if (codePoint < 0x80) {
    target[at] = codePoint
    return at + 1
  }
  if (codePoint < 0x800) {
    target[at] = 0xc0 | (codePoint >> 6)
    return putTail(codePoint, 1, target, at + 1)
  }
  if (codePoint < 0x10000) {
    const valid = isHigh(codePoint) || isLow(codePoint) ? REPLACEMENT : codePoint
    target[at] = 0xe0 | (valid >> 12)
    return putTail(valid, 2, target, at + 1)
  }
  target[at] = 0xf0 | (codePoint >> 18)
  return putTail(codePoint, 3, target, at + 1)
}

function putTail(codePoint: number, count: number, target: Uint8Array, at: number): number {
  for (let i = 0; i < count; i++) target[at + i] = 0x80 | ((codePoint >> (6 * (count - 1 - i))) & 0x3f)
  return at + count
}
