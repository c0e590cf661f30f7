/** Strings: finds and validates their ends. */
import { BACKSLASH, byteAt, CASE_BIT, QUOTE } from '../base/bytes'

/** Result of `closingQuote` for a string that JSON does not allow. */
export const BAD_STRING: i32 = 0

/**
 * Finds the end of the string with content from `p` on. Returns the address of the closing quote, or its complement
 * (`~`, negative) if the string has escapes; BAD_STRING for a raw control character, an invalid escape or no end within
 * the line.
 */
// @ts-ignore: decorator
@inline
export function closingQuote(p: usize): i32 {
  const stops = stopsIn16(p)
  if (stops != 0) {
    const stop = p + ctz(stops)
    return byteAt(stop) == QUOTE ? <i32>stop : longString(stop)
  }
  return longString(p + 16)
}

/** Returns the address of the closing quote from a result of `closingQuote` other than BAD_STRING. */
// @ts-ignore: decorator
@inline
export function addressOf(quote: i32): usize {
  return quote > 0 ? quote : ~quote
}

/** Returns a bit for each of the 16 bytes at `p` that is a quote, a backslash or a control character. */
// @ts-ignore: decorator
@inline
function stopsIn16(p: usize): i32 {
  const bytes = v128.load(p)
  const ends = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)))
  return i8x16.bitmask(v128.or(ends, i8x16.ge_u(i8x16.splat(0x1f), bytes)))
}

/** Continues `closingQuote` from `p`, for any length and any number of escapes. */
function longString(p: usize): i32 {
  let escaped = false
  while (true) {
    const stops = stopsIn16(p)
    if (stops == 0) {
      p += 16
      continue
    }
    p += ctz(stops)
    if (byteAt(p) == QUOTE) return escaped ? ~(<i32>p) : <i32>p
    const length = byteAt(p) == BACKSLASH ? escapeLength(p) : 0
    if (length == 0) return BAD_STRING
    p += length
    escaped = true
  }
}

/** Returns the length of the escape at `p`: 2, 6, or 0 if it is invalid. */
function escapeLength(p: usize): usize {
  switch (byteAt(p + 1)) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2
    case 0x75: // u
      return areHex4(p + 2) ? 6 : 0
    default:
      return 0
  }
}

function areHex4(p: usize): bool {
  return isHex(byteAt(p)) && isHex(byteAt(p + 1)) && isHex(byteAt(p + 2)) && isHex(byteAt(p + 3))
}

function isHex(byte: u32): bool {
  return byte - 0x30 < 10 || (byte | CASE_BIT) - 0x61 < 6
}
