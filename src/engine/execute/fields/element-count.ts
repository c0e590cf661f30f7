import { BACKSLASH } from '../../../base/text/ascii.js'

const QUOTE = 0x22
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20

/** How many rows an unnest makes of a value: no row, a single row with an object, or other rows. */
export type ElementCount = 0 | 1 | 'other'

/**
 * Returns how many rows an unnest makes of the valid JSON value [start, end): 1 for an object or a list of a single
 * object, 0 for an empty list or a scalar, `other` for any other list. Linear in the bytes of the value.
 */
export function elementCount(bytes: Uint8Array, start: number, end: number): ElementCount {
  if (bytes[start] === OPEN_OBJECT) return 1
  if (bytes[start] !== OPEN_LIST) return 0
  const first = skipSpace(bytes, start + 1)
  if (bytes[first] === CLOSE_LIST) return 0
  if (bytes[first] !== OPEN_OBJECT) return 'other'
  return skipSpace(bytes, endOfObject(bytes, first, end)) === end - 1 ? 1 : 'other'
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] <= SPACE) at++
  return at
}

/** The place behind the object that starts at a place. */
function endOfObject(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === OPEN_OBJECT) depth++
    else if (byte === CLOSE_OBJECT && --depth === 0) return at + 1
  }
  return end
}

/** The place of the quote that ends a text. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
