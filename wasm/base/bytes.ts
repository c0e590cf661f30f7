/**
 * Bytes of JSON syntax, and white space.
 *
 * Every line ends in a newline (`scan` writes one after the last), which JSON allows nowhere within a line. Therefore
 * no loop here or in the other files checks for the end of the input: each stops at the first byte that it does not
 * accept.
 */
export const NEWLINE: u32 = 0x0a
export const RETURN: u32 = 0x0d
export const SPACE: u32 = 0x20
export const QUOTE: u32 = 0x22
export const COMMA: u32 = 0x2c
export const MINUS: u32 = 0x2d
export const DOT: u32 = 0x2e
export const ZERO: u32 = 0x30
export const COLON: u32 = 0x3a
export const OPEN_ARRAY: u32 = 0x5b
export const BACKSLASH: u32 = 0x5c
export const CLOSE_ARRAY: u32 = 0x5d
export const OPEN_OBJECT: u32 = 0x7b
export const CLOSE_OBJECT: u32 = 0x7d

/** Bit that turns an ASCII letter into lower case, and also `[` into `{` and `]` into `}`. */
export const CASE_BIT: u32 = 0x20

/** Returns the byte at `p`. */
// @ts-ignore: decorator
@inline
export function byteAt(p: usize): u32 {
  return load<u8>(p)
}

/**
 * Returns the first address from `p` on that is not white space. Compact JSON has none, so only one comparison is
 * inlined.
 */
// @ts-ignore: decorator
@inline
export function skipSpace(p: usize): usize {
  return byteAt(p) > SPACE ? p : endOfSpace(p)
}

function endOfSpace(p: usize): usize {
  while (isSpace(byteAt(p))) p++
  return p
}

/** Returns whether the byte is white space within a line: space, tab or carriage return. */
// @ts-ignore: decorator
@inline
function isSpace(byte: u32): bool {
  return byte == SPACE || byte == 0x09 || byte == RETURN
}

/** Returns the value of the four hexadecimal digits at `p`. */
export function hex4(p: usize): u32 {
  return (hex(p) << 12) | (hex(p + 1) << 8) | (hex(p + 2) << 4) | hex(p + 3)
}

function hex(p: usize): u32 {
  const byte = byteAt(p)
  return byte < 0x3a ? byte - 0x30 : (byte | CASE_BIT) - 0x57
}
