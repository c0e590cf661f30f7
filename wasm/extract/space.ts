/** White space and ends of values, within a text that may be damaged: no function reads on after its end. */
import { BACKSLASH, byteAt, CLOSE_OBJECT, COMMA, NEWLINE, QUOTE, RETURN, SPACE } from '../base/bytes'

const TAB: u32 = 0x09

/** Returns whether the byte is white space of JSON. */
// @ts-ignore: decorator
@inline
export function isSpace(byte: u32): bool {
  return byte == SPACE || byte == NEWLINE || byte == RETURN || byte == TAB
}

/** Returns the first address from `p` on that is not white space, at most `end`. */
// @ts-ignore: decorator
@inline
export function skipSpace(p: usize, end: usize): usize {
  while (p < end && isSpace(byteAt(p))) p++
  return p
}

/** Returns the address after the number or literal at `p`, a member of an object, at most `end`. */
export function endOfScalar(p: usize, end: usize): usize {
  for (; p < end; p++) {
    const byte = byteAt(p)
    if (byte == COMMA || byte == CLOSE_OBJECT || isSpace(byte)) break
  }
  return p
}

/** Whether the string that `endOfString` passed over last has escapes. */
export let hasEscapes = false

/** Returns the address of the closing quote of the string with content from `p` on, at most `end`. */
export function endOfString(p: usize, end: usize): usize {
  hasEscapes = false
  while (p < end) {
    const stops = stopsIn16(p)
    if (stops == 0) {
      p += 16
      continue
    }
    p += ctz(stops)
    if (byteAt(p) == QUOTE) break
    hasEscapes = true
    p += 2
  }
  return min(p, end)
}

/** Returns a bit for each of the 16 bytes at `p` that is a quote or a backslash. */
// @ts-ignore: decorator
@inline
function stopsIn16(p: usize): i32 {
  const bytes = v128.load(p)
  const quotes = i8x16.eq(bytes, i8x16.splat(<i8>QUOTE))
  return i8x16.bitmask(v128.or(quotes, i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))))
}
