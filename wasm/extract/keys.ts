/**
 * Search for the key before a colon among the children of a node.
 *
 * Each child has its tail: the last eight bytes of `"key`, which few other keys have. Each node has a filter: a bit for
 * each hash of the last two bytes of a child's tail. Objects of a kind have the same keys in the same order, so the
 * child after the one that was found last is tried first.
 */
import { KEY, KEY_BYTES, NODE_BYTES } from '../../src/wasm-layout/path-tree'
import { BACKSLASH, byteAt, QUOTE } from '../base/bytes'
import { areEqual } from '../base/copy'
import { unescape } from '../fields/unescape'
import { EXPECTED, FILTER, firstChild, NO_NODE, prepareNobody, subtreeEnd, TAIL, TAIL_MASK } from './nodes'

/** A tail that no bytes have, since its mask is 0. */
const NEVER: u64 = 1

/** Writes the filters and tails that searches need to all nodes of the tree with this root. */
export function prepareNodes(root: usize): void {
  prepareNobody()
  const last = subtreeEnd(root)
  for (let node = root; node < last; node += NODE_BYTES) {
    let filter: u64 = 0
    for (let child = firstChild(node); child < subtreeEnd(node); child = subtreeEnd(child)) {
      prepareTail(child)
      filter |= keyBytes(child) == 0 ? u64.MAX_VALUE : filterBit(load<u64>(child, TAIL))
    }
    store<u64>(node, filter, FILTER)
    store<u32>(node, <u32>firstChild(node), EXPECTED)
  }
}

function prepareTail(node: usize): void {
  const length = keyBytes(node)
  if (hasQuote(node)) return store<u64>(node, NEVER, TAIL)
  const tail = load<u64>(keyOf(node) + length - 8)
  store<u64>(node, length < 8 ? (tail & upperBytes(length)) | (<u64>QUOTE << (56 - 8 * length)) : tail, TAIL)
  store<u64>(node, upperBytes(min(length + 1, 8)), TAIL_MASK)
}

/**
 * Returns whether the key has a quote. It is always spelled with an escape then: without one, the same bytes are the
 * end of one string and the start of another.
 */
function hasQuote(node: usize): bool {
  const end = keyOf(node) + keyBytes(node)
  for (let p = keyOf(node); p < end; p++) if (byteAt(p) == QUOTE) return true
  return false
}

/** Returns a mask of the upper `count` bytes of a word. */
function upperBytes(count: usize): u64 {
  return count == 0 ? 0 : u64.MAX_VALUE << (64 - 8 * count)
}

/** Returns the bit in a filter for the last two bytes of a tail. */
// @ts-ignore: decorator
@inline
function filterBit(tail: u64): u64 {
  return (<u64>1) << <u64>((<u32>(tail >> 48) * 0x9e37) >> 10)
}

// @ts-ignore: decorator
@inline
function keyOf(node: usize): usize {
  return load<u32>(node, KEY)
}

// @ts-ignore: decorator
@inline
function keyBytes(node: usize): usize {
  return load<u32>(node, KEY_BYTES)
}

/**
 * Returns whether the colon at `colon` may follow the key of a child, in a text without backslashes. If white space
 * precedes it, the answer is yes.
 */
// @ts-ignore: decorator
@inline
export function mayFollowKey(node: usize, colon: usize): bool {
  const bytes = load<u64>(colon - 8)
  return isTailOfChild(node, bytes << 8) || <u32>(bytes >> 56) != QUOTE
}

/** Returns whether a child's key may end with the last two bytes of a tail. */
// @ts-ignore: decorator
@inline
function isTailOfChild(node: usize, tail: u64): bool {
  return (load<u64>(node, FILTER) & filterBit(tail)) != 0
}

/** Returns the child with the key before the closing quote at `quote`, in a text from `start` without backslashes. */
export function childBefore(node: usize, quote: usize, start: usize): usize {
  const tail = load<u64>(quote - 8)
  const last = subtreeEnd(node)
  const expected: usize = load<u32>(node, EXPECTED)
  if (expected < last && isBefore(expected, quote, start, tail)) return found(node, expected)
  for (let child = firstChild(node); child < last; child = subtreeEnd(child)) {
    if (isBefore(child, quote, start, tail)) return found(node, child)
  }
  return NO_NODE
}

/** Returns whether the key of a child precedes `quote`; `tail` are the eight bytes before. */
// @ts-ignore: decorator
@inline
function isBefore(child: usize, quote: usize, start: usize, tail: u64): bool {
  return (tail & load<u64>(child, TAIL_MASK)) == load<u64>(child, TAIL) && isWhole(child, quote, start)
}

/** Remembers and returns the child that was found. */
// @ts-ignore: decorator
@inline
function found(node: usize, child: usize): usize {
  const next = subtreeEnd(child)
  store<u32>(node, <u32>(next < subtreeEnd(node) ? next : firstChild(node)), EXPECTED)
  return child
}

/** Returns whether the bytes from an opening quote to `quote` are the key; its last bytes are known to be equal. */
function isWhole(node: usize, quote: usize, start: usize): bool {
  const length = keyBytes(node)
  if (quote - start <= length) return false
  const key = quote - length
  return byteAt(key - 1) == QUOTE && areEqual(key, keyOf(node), length)
}

/**
 * Returns the child with the key before the closing quote at `quote`, in any text from `start`. Decodes a key with
 * escapes to `scratch`.
 */
export function childBeforeInAny(node: usize, quote: usize, start: usize, scratch: usize): usize {
  if (isPlain(quote)) return isTailOfChild(node, load<u64>(quote - 8)) ? childBefore(node, quote, start) : NO_NODE
  // Only in a damaged text. To look for the start of each would take quadratic time.
  if (isEscaped(quote, start)) return NO_NODE
  const key = openingQuote(quote, start) + 1
  if (!hasBackslash) return childWithKey(node, key, quote - key)
  const after = unescape(key, quote, scratch)
  return childWithKey(node, scratch, <usize>(after < 0 ? ~after : after) - scratch)
}

/** Returns whether the key before `quote` is known to have no backslash: it is short, and so is the byte before it. */
function isPlain(quote: usize): bool {
  const bytes = v128.load(quote - 16)
  const quotes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)))
  const backslashes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)))
  // The first bit is never an opening quote here, since the byte before it is unknown.
  return (quotes & ~1 & ~(backslashes << 1)) > backslashes
}

function childWithKey(node: usize, key: usize, length: usize): usize {
  const last = subtreeEnd(node)
  for (let child = firstChild(node); child < last; child = subtreeEnd(child)) {
    if (keyBytes(child) == length && areEqual(keyOf(child), key, length)) return child
  }
  return NO_NODE
}

/** Whether the key that `openingQuote` passed over last has a backslash. */
let hasBackslash = false

/** Returns the address of the quote that opens the string which `quote` closes; `start - 1` if there is none. */
function openingQuote(quote: usize, start: usize): usize {
  hasBackslash = false
  for (let p = quote - 1; p >= start; p--) {
    const byte = byteAt(p)
    if (byte == BACKSLASH) hasBackslash = true
    if (byte == QUOTE && !isEscaped(p, start)) return p
  }
  return start - 1
}

/** Returns whether an odd number of backslashes precedes `p`. */
function isEscaped(p: usize, start: usize): bool {
  let first = p
  while (first > start && byteAt(first - 1) == BACKSLASH) first--
  return ((p - first) & 1) == 1
}
