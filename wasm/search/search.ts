/**
 * Entry point: finds a text in others, ignoring the case of ASCII letters. 16 places at a time are compared with the
 * first and the last byte of the text (W. Muła, "SIMD-friendly algorithms for substring searching", 2016).
 */
import { CASE_BIT } from '../base/bytes'

/** The text in lower case, and for each of its bytes the bit that turns a letter into lower case. */
let part: usize = 0
let cases: usize = 0
let length: usize = 0

/** Returns the first address that the host may use. */
export function memoryStart(): usize {
  return (__heap_base + 63) & ~63
}

/** Sets the text, of one byte at least. As many bytes behind it are overwritten. */
export function setPart(start: usize, bytes: usize): void {
  part = start
  length = bytes
  cases = start + bytes
  for (let i: usize = 0; i < bytes; i++) store<u8>(cases + i, isLetter(load<u8>(start + i)) ? <u8>CASE_BIT : 0)
}

const isLetter = (byte: u32): bool => byte >= 0x61 && byte <= 0x7a

/** Returns the first address in [start, end) of the text, which ends there too; `end` if there is none. */
export function find(start: usize, end: usize): usize {
  if (start + length > end) return end
  const last = end - length
  const offset = length - 1
  const firstByte = v128.load8_splat(part)
  const firstCase = v128.load8_splat(cases)
  const lastByte = v128.load8_splat(part + offset)
  const lastCase = v128.load8_splat(cases + offset)
  for (let at = start; at <= last; at += 16) {
    const isFirst = i8x16.eq(v128.or(v128.load(at), firstCase), firstByte)
    const isLast = i8x16.eq(v128.or(v128.load(at + offset), lastCase), lastByte)
    for (let places = i8x16.bitmask(v128.and(isFirst, isLast)); places != 0; places &= places - 1) {
      const place = at + ctz(places)
      if (place > last) return end
      if (isAt(place)) return place
    }
  }
  return end
}

/** Returns whether the text is at an address. */
function isAt(place: usize): bool {
  let i: usize = 0
  for (; i + 8 <= length; i += 8) if ((load<u64>(place + i) | load<u64>(cases + i)) != load<u64>(part + i)) return false
  for (; i < length; i++) if ((load<u8>(place + i) | load<u8>(cases + i)) != load<u8>(part + i)) return false
  return true
}
