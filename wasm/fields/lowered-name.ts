/** Lowers texts to names of own sources: `Nginx-Access` is `nginx_access`. */
import { byteAt, CASE_BIT } from '../base/bytes'

/** The most characters of a name of an own source (src/common/own-source-names.ts). */
export const MAX_LENGTH: i32 = 63

/** The name that `lower` or the host wrote last, with room after it that may be read. */
export const LOWERED: usize = memory.data(MAX_LENGTH + 1 + 16, 16)

const UNDERSCORE: u32 = 0x5f

/**
 * Writes a text to LOWERED with letters of ASCII in lower case and `_` for each run of bytes that are no letter, digit
 * or `_`. Returns the length, or -1 if the result does not begin with a letter or is too long.
 */
export function lower(start: usize, end: usize): i32 {
  if (start == end || !isLetter(byteAt(start) | CASE_BIT)) return -1
  let length: i32 = 0
  let inRun = false
  for (let p = start; p < end; p++) {
    const byte = loweredByte(byteAt(p))
    if (byte == 0 && inRun) continue
    if (length == MAX_LENGTH) return -1
    inRun = byte == 0
    store<u8>(LOWERED + length++, inRun ? UNDERSCORE : byte)
  }
  return length
}

/** Returns the byte as it is in a name, 0 if it cannot be in one. */
// @ts-ignore: decorator
@inline
function loweredByte(byte: u32): u32 {
  if (isLetter(byte | CASE_BIT)) return byte | CASE_BIT
  return byte - 0x30 < 10 || byte == UNDERSCORE ? byte : 0
}

// @ts-ignore: decorator
@inline
function isLetter(byte: u32): bool {
  return byte - 0x61 < 26
}
