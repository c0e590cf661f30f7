/** Walk over one JSON container: grammar, depth, and fields. */
import { BOOLEAN, ESCAPED_STRING, NUMBER, STRING } from '../../src/wasm-layout/field-table'
import { byteAt, CASE_BIT, CLOSE_OBJECT, COLON, COMMA, MINUS, OPEN_OBJECT, QUOTE, skipSpace } from '../base/bytes'
import { BEFORE_FIRST, bytesOfEntry, entryAfter, expectAfter, isEntryAt, targetOfEntry } from './expected-keys'
import {
  CONTEXT_MASK,
  HAS_FIRST,
  HAS_OTHERS,
  IS_ARRAY,
  PLAIN_ARRAY,
  PLAIN_OBJECT,
  RECORD,
  STACK,
  STACK_LIMIT,
} from './frames'
import { keepKey, targetOfKey } from './keys'
import { BAD_SCALAR, endOfLiteral, endOfNumber } from './scalars'
import { addressOf, BAD_STRING, closingQuote } from './strings'
import { closeField, openField, writeField } from './table'

/** Result of a walk: the line is not JSON … */
export const WALK_INVALID: usize = 0
/** … or it exceeds MAX_DEPTH, with no earlier fault. */
export const WALK_TOO_DEEP: usize = 1

/**
 * Walks the object or array at `p`. Returns the address after it, or one of the two faults above. Writes the fields of
 * a record object to `row`; an array has none.
 *
 * One pass without recursion in byte order, so the first fault is reported. This is the hot loop: each iteration reads
 * one member or element, then all closing brackets and the comma after it. It is one long function to keep its state
 * (context, frame, depth) in registers.
 */
export function walkContainer(row: usize, p: usize): usize {
  let top = STACK
  // The line's value is treated as the first element of an outer array that never ends.
  let frame = RECORD | IS_ARRAY
  let lastKey = BEFORE_FIRST
  while (true) {
    let target: u32 = 0
    if (!(frame & IS_ARRAY)) {
      const key = p + 1
      const expected = entryAfter(lastKey)
      if (isEntryAt(expected, frame, p)) {
        lastKey = expected
        p += bytesOfEntry(expected)
        if (frame != PLAIN_OBJECT) target = keepKey(row, frame, targetOfEntry(expected), key, <i32>(p - 2))
      } else {
        if (byteAt(p) != QUOTE) return WALK_INVALID
        const quote = closingQuote(key)
        if (quote == BAD_STRING) return WALK_INVALID
        if (frame != PLAIN_OBJECT) target = targetOfKey(frame, key, quote)
        p = addressOf(quote) + 1
        if (quote > 0 && byteAt(p) == COLON) lastKey = expectAfter(lastKey, frame, key - 1, p + 1, target)
        if (frame != PLAIN_OBJECT) target = keepKey(row, frame, target, key, quote)
        p = skipSpace(p)
        if (byteAt(p) != COLON) return WALK_INVALID
        p++
      }
      p = skipSpace(p)
    } else if (frame != PLAIN_ARRAY) {
      if (byteAt(p) != OPEN_OBJECT) frame |= HAS_OTHERS
      else if (!(frame & HAS_FIRST)) target = frame & CONTEXT_MASK
      frame |= HAS_FIRST
    }

    const start = p
    const first = byteAt(p)
    if (first == QUOTE) {
      const quote = closingQuote(p + 1)
      if (quote == BAD_STRING) return WALK_INVALID
      p = addressOf(quote)
      if (target != 0) writeField(row, target, quote > 0 ? STRING : ESCAPED_STRING, start + 1, p)
      p++
    } else if ((first | CASE_BIT) == OPEN_OBJECT) {
      if (top == STACK_LIMIT) return WALK_TOO_DEEP
      if (target != 0) openField(row, target, start)
      store<u16>(top, frame)
      top += 2
      frame = first == OPEN_OBJECT ? target : target | IS_ARRAY
      p = skipSpace(p + 1)
      if (byteAt(p) != closer(frame)) continue
    } else if (first - 0x30 < 10 || first == MINUS) {
      p = endOfNumber(p)
      if (p == BAD_SCALAR) return WALK_INVALID
      if (target != 0) writeField(row, target, NUMBER, start, p)
    } else {
      p = endOfLiteral(p)
      if (p == BAD_SCALAR) return WALK_INVALID
      if (target != 0 && first != 0x6e) writeField(row, target, BOOLEAN, start, p)
    }

    while (true) {
      p = skipSpace(p)
      const next = byteAt(p++)
      if (next == COMMA) {
        p = skipSpace(p)
        break
      }
      if (next != closer(frame)) return WALK_INVALID
      if (frame > PLAIN_ARRAY) closeField(row, frame, p)
      top -= 2
      frame = load<u16>(top)
      if (top == STACK) return p
    }
  }
}

/** Returns the bracket that closes a container of this frame: `}`, or `]` for an array, which lacks CASE_BIT. */
// @ts-ignore: decorator
@inline
function closer(frame: u32): u32 {
  return CLOSE_OBJECT - CASE_BIT * (frame & IS_ARRAY)
}
