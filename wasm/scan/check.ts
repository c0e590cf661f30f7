/**
 * Check of a JSON container in a body: its grammar, without its fields. In contrast to a line, a body has line breaks;
 * they are replaced by spaces. The byte after the body must be zero, which JSON allows nowhere.
 */
import { MAX_DEPTH } from '../../src/wasm-layout/field-table'
import {
  byteAt,
  CASE_BIT,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MINUS,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  RETURN,
  SPACE,
} from '../base/bytes'
import { isKey } from './keys'
import { endOfLiteral, endOfNumber } from './scalars'
import { addressOf, BAD_STRING, closingQuote } from './strings'

/** Result of a check: the value is not JSON … */
export const INVALID: usize = 0
/** … or it is deeper than {@link LEVELS}, with no earlier fault. */
export const TOO_DEEP: usize = 1

/** The body and the list of its records may be around a record of MAX_DEPTH. */
const LEVELS: usize = MAX_DEPTH + 2
/** The closing brackets of the open containers. */
const BRACKETS: usize = memory.data(MAX_DEPTH + 2, 1)

/** `batch` */
const BATCH: usize = memory.data<u8>([0x62, 0x61, 0x74, 0x63, 0x68, 0, 0, 0])

/** Address of the array that is the member `batch` of the last object checked; 0 if it has none. */
export let checkedBatch: usize = 0

/** Returns the address after the object or array at `p`, or one of the two faults above. */
export function endOfValid(p: usize): usize {
  checkedBatch = 0
  let top = BRACKETS
  let close: u32 = 0
  while (true) {
    if (close == CLOSE_OBJECT) {
      if (byteAt(p) != QUOTE) return INVALID
      const key = p + 1
      const quote = closingQuote(key)
      if (quote == BAD_STRING) return INVALID
      const end = addressOf(quote)
      p = skipBreaks(end + 1)
      if (byteAt(p) != COLON) return INVALID
      p = skipBreaks(p + 1)
      if (top == BRACKETS + 1 && isKey(key, end, BATCH, 5)) checkedBatch = byteAt(p) == OPEN_ARRAY ? p : 0
    }
    const first = byteAt(p)
    if ((first | CASE_BIT) == OPEN_OBJECT) {
      if (top == BRACKETS + LEVELS) return TOO_DEEP
      store<u8>(top++, <u8>close)
      close = first + 2
      p = skipBreaks(p + 1)
      if (byteAt(p) != close) continue
    } else {
      p = endOfValidScalar(p)
      if (p == INVALID) return INVALID
    }
    while (true) {
      p = skipBreaks(p)
      const next = byteAt(p++)
      if (next == COMMA) {
        p = skipBreaks(p)
        break
      }
      if (next != close) return INVALID
      close = load<u8>(--top)
      if (top == BRACKETS) return p
    }
  }
}

/** Returns the address after the string, number or literal at `p`, or INVALID. The caller checks the byte after it. */
// @ts-ignore: decorator
@inline
export function endOfValidScalar(p: usize): usize {
  const first = byteAt(p)
  if (first == QUOTE) {
    const quote = closingQuote(p + 1)
    return quote == BAD_STRING ? INVALID : addressOf(quote) + 1
  }
  // BAD_SCALAR is INVALID, too.
  return first - 0x30 < 10 || first == MINUS ? endOfNumber(p) : endOfLiteral(p)
}

/** Returns the first address from `p` on that is not white space. Replaces line breaks by spaces. */
// @ts-ignore: decorator
@inline
function skipBreaks(p: usize): usize {
  return byteAt(p) > SPACE ? p : endOfBreaks(p)
}

function endOfBreaks(p: usize): usize {
  while (true) {
    const byte = byteAt(p)
    if (byte == NEWLINE) store<u8>(p, SPACE)
    else if (byte != SPACE && byte != RETURN && byte != 0x09) return p
    p++
  }
}
