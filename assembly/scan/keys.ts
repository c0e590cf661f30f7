/** Keys: from the bytes between a key's quotes to the target of its value. */
import { BACKSLASH, byteAt, hex4 } from '../base/bytes'
import { areEqual } from '../base/copy'
import { FIELD_MASK, FIELD_SHIFT, METADATA, PLACE_MASK, REQUEST, RESPONSE } from './frames'
import { targetOf } from './names'
import { forget, METADATA_FIELD, PATH, STATUS_CODE, URL } from './table'

/** One more byte than the longest name; a decoded key that does not fit is none of them. */
const DECODED_BYTES: usize = 18
const DECODED: usize = memory.data(32, 16)

/**
 * The target of the value of the key [p, end) in an object of this frame. Whatever an earlier equal key brought is
 * forgotten: the last one wins whole, null included.
 */
export function keyTarget(row: usize, frame: u32, p: usize, end: usize): u32 {
  const target = targetOf(frame & PLACE_MASK, p, end - p)
  if (target != 0) forgetTarget(row, target)
  return target
}

/** The same for a key with an escape in it. */
export function escapedKeyTarget(row: usize, frame: u32, p: usize, end: usize): u32 {
  return keyTarget(row, frame, DECODED, DECODED + decode(p, end))
}

/** Whether the key [p, end), which need not be valid, is the name of `length` bytes, at most eight, at `name`. */
export function isKey(p: usize, end: usize, name: usize, length: usize): bool {
  if (end - p == length) return areEqual(p, name, length)
  return end - p > length && decode(p, end) == length && areEqual(DECODED, name, length)
}

function forgetTarget(row: usize, target: u32): void {
  switch (target & PLACE_MASK) {
    case METADATA:
      return forget(row, METADATA_FIELD, PATH - METADATA_FIELD + 1)
    case REQUEST:
      return forget(row, URL, PATH - URL + 1)
    case RESPONSE:
      return forget(row, STATUS_CODE, 1)
    default:
      return forget(row, ((target & FIELD_MASK) >> FIELD_SHIFT) - 1, 1)
  }
}

/** Decodes the valid key [p, end) to DECODED and gives its length, or 0 if it cannot be one of the names. */
function decode(p: usize, end: usize): usize {
  let length: usize = 0
  while (p < end) {
    const isUnicode = byteAt(p) == BACKSLASH && byteAt(p + 1) == 0x75
    // A short escape stays as it is: no name has a backslash, nor anything that a short escape stands for.
    const byte = isUnicode ? hex4(p + 2) : byteAt(p)
    if (byte > 0x7f || length == DECODED_BYTES) return 0
    store<u8>(DECODED + length++, byte)
    p += isUnicode ? 6 : 1
  }
  return length
}
