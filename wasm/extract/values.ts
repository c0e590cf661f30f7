/** Values of the nodes after a walk: their kinds and ends. */
import { NODE_BYTES } from '../../src/wasm-layout/path-tree'
import { ABSENT, BOOLEAN, JSON_VALUE, NUMBER, TEXT } from '../../src/wasm-layout/values'
import { byteAt, CASE_BIT, MINUS, OPEN_OBJECT, QUOTE } from '../base/bytes'
import { doubleOf } from '../base/host'
import { unescape } from '../fields/unescape'
import { containerEnd, isWanted, setResult, subtreeEnd, valueStart } from './nodes'
import { endOfScalar, endOfString, hasEscapes } from './space'

const LETTER_E: u32 = 0x65
const LETTER_F: u32 = 0x66
const LETTER_T: u32 = 0x74

/** A shorter number with an exponent of two digits is within the range of doubles. */
const LONG_NUMBER: usize = 200
const LONG_EXPONENT: usize = 3

/**
 * Sets the values for the host of all wanted nodes below `root`, in a text that ends at `end`. Decodes texts with
 * escapes to `scratch`, one after the other; returns the address after them.
 */
export function setResults(root: usize, end: usize, scratch: usize): usize {
  const last = subtreeEnd(root)
  for (let node = root; node < last; node += NODE_BYTES) {
    if (isWanted(node)) scratch = resolve(node, end, scratch)
  }
  return scratch
}

function resolve(node: usize, end: usize, scratch: usize): usize {
  const start = valueStart(node)
  if (start == 0) {
    setResult(node, ABSENT, 0, 0)
    return scratch
  }
  const first = byteAt(start)
  if (first == QUOTE) return resolveText(node, start + 1, end, scratch)
  if ((first | CASE_BIT) == OPEN_OBJECT) {
    setResult(node, containerEnd(node) == 0 ? ABSENT : JSON_VALUE, start, containerEnd(node))
  } else if (first - 0x30 < 10 || first == MINUS) {
    const after = endOfScalar(start, end)
    setResult(node, isFinite(start, after) ? NUMBER : ABSENT, start, after)
  } else {
    const isBoolean = first == LETTER_T || first == LETTER_F
    setResult(node, isBoolean ? BOOLEAN : ABSENT, start, isBoolean ? endOfScalar(start, end) : start)
  }
  return scratch
}

function resolveText(node: usize, start: usize, end: usize, scratch: usize): usize {
  const quote = endOfString(start, end)
  if (!hasEscapes) {
    setResult(node, TEXT, start, quote)
    return scratch
  }
  store<u8>(scratch, QUOTE)
  const text = scratch + 1
  const after = unescape(start, quote, text)
  // In a damaged text the last escape may be cut off, and the result be shorter than nothing.
  const last = max<usize>(after < 0 ? ~after : after, text)
  setResult(node, TEXT, text, last)
  return last
}

/** Returns whether a number is within the range of doubles. */
function isFinite(start: usize, end: usize): bool {
  let exponent = end
  for (let p = start; p < end; p++) if ((byteAt(p) | CASE_BIT) == LETTER_E) exponent = p + 1
  if (end - start < LONG_NUMBER && end - exponent < LONG_EXPONENT) return true
  return !isNaN(doubleOf(start, end))
}
