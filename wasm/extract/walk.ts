/**
 * One pass over a text for all paths of a tree.
 *
 * It looks at brackets and colons outside of strings only. In an object with wanted keys, the key before each colon is
 * looked up; other containers are passed over by counting brackets, a block at a time.
 */
import { FRAME_BYTES } from '../../src/wasm-layout/path-tree'
import { BACKSLASH, byteAt, CASE_BIT, CLOSE_OBJECT, COLON, OPEN_OBJECT, QUOTE } from '../base/bytes'
import { BLOCK, beginEscapes, carriedEscape, escapedBytes, hasByte, maskOfByte, prefixXor } from './blocks'
import { childBefore, childBeforeInAny, mayFollowKey } from './keys'
import { beginValue, beginValues, endValue, NO_NODE, NOBODY } from './nodes'
import { isSpace, skipSpace } from './space'

/** Bit that `}` and `]` have, but `{`, `[` and `:` do not. */
const CLOSING_BIT: u32 = 0x04

/** The text, and where a key of it may be decoded. */
let textStart: usize = 0
let textEnd: usize = 0
let keyScratch: usize = 0
/** Whether the blocks so far contain a backslash. */
let hasEscapes = false

/** Parent of the nodes of keys in the innermost container that was entered; NOBODY if no key is wanted. */
let keys: usize = 0
/** Node with that container as its value. The end of a list is set after that of its first element, and replaces it. */
let owner: usize = 0
/** Number of open containers in it that were not entered. */
let depth: u32 = 0
/** Node with a value that starts at the next bracket; NO_NODE if that container is not entered. */
let pending: usize = 0
/** Stack of `keys` and `owner` of the outer containers that were entered. */
let stack: usize = 0
let top: usize = 0

/** Sets the stack for `walkText`: FRAMES_PER_LEVEL entries for each level of the tree. */
export function setStack(at: usize): void {
  stack = at
}

/**
 * Finds the values of the nodes below `root` in the text [start, end). Decodes single keys to `scratch`, where the
 * text must fit.
 */
export function walkText(root: usize, start: usize, end: usize, scratch: usize): void {
  textStart = start
  textEnd = end
  keyScratch = scratch
  hasEscapes = false
  keys = NOBODY
  owner = NOBODY
  depth = 0
  pending = root
  top = stack
  beginEscapes()
  const value = skipSpace(start, end)
  beginValues(root, value == end ? 0 : value)
  walkBlocks(start, end)
}

function walkBlocks(start: usize, end: usize): void {
  let inString: u64 = 0
  for (let p = start; p < end; p += BLOCK) {
    const a = v128.load(p)
    const b = v128.load(p, 16)
    const c = v128.load(p, 32)
    const d = v128.load(p, 48)
    let quotes = maskOfByte(a, b, c, d, QUOTE)
    if (hasByte(a, b, c, d, BACKSLASH) || carriedEscape != 0) {
      quotes &= ~escapedBytes(maskOfByte(a, b, c, d, BACKSLASH))
      hasEscapes = true
    }
    const strings = prefixXor(quotes) ^ inString
    inString = <u64>(<i64>strings >> 63)
    const outside = ~strings & (end - p < BLOCK ? ((<u64>1) << <u64>(end - p)) - 1 : u64.MAX_VALUE)

    const bit = i8x16.splat(<i8>CASE_BIT)
    const la = v128.or(a, bit)
    const lb = v128.or(b, bit)
    const lc = v128.or(c, bit)
    const ld = v128.or(d, bit)
    const opening = maskOfByte(la, lb, lc, ld, OPEN_OBJECT) & outside
    const closing = maskOfByte(la, lb, lc, ld, CLOSE_OBJECT) & outside
    // No key is wanted here and the containers that were not entered do not end: `pending` is NO_NODE.
    if (<u32>popcnt(closing) < depth) {
      depth += <u32>popcnt(opening) - <u32>popcnt(closing)
      continue
    }
    const colons = maskOfByte(a, b, c, d, COLON) & outside
    visit(p, opening | closing | colons)
  }
}

/** Visits the brackets and colons of a block. */
function visit(block: usize, bits: u64): void {
  for (; bits != 0; bits &= bits - 1) {
    const p = block + <usize>ctz(bits)
    const byte = byteAt(p)
    if (byte == COLON) {
      if (depth == 0 && (hasEscapes || mayFollowKey(keys, p))) visitColon(p)
    } else if ((byte & CLOSING_BIT) == 0) {
      if (pending == NO_NODE) depth++
      else enter(p, byte)
    } else if (depth > 0) {
      depth--
    } else if (top > stack) leave(p)
  }
}

function visitColon(colon: usize): void {
  let quote = colon - 1
  while (quote > textStart && isSpace(byteAt(quote))) quote--
  if (byteAt(quote) != QUOTE || keys == NOBODY) return
  const child = hasEscapes
    ? childBeforeInAny(keys, quote, textStart, keyScratch)
    : childBefore(keys, quote, textStart)
  if (child == NO_NODE) return
  const value = skipSpace(colon + 1, textEnd)
  if (value == textEnd) return
  beginValue(child, value)
  if ((byteAt(value) | CASE_BIT) == OPEN_OBJECT) pending = child
}

/** Enters the container at `p`, the value of the node `pending` or the first element of that list. */
function enter(p: usize, bracket: u32): void {
  store<u32>(top, <u32>keys)
  store<u32>(top, <u32>owner, 4)
  top += FRAME_BYTES
  owner = pending
  pending = NO_NODE
  keys = bracket == OPEN_OBJECT ? owner : NOBODY
  if (keys != NOBODY) return
  const first = skipSpace(p + 1, textEnd)
  if (first < textEnd && byteAt(first) == OPEN_OBJECT) pending = owner
}

/** Leaves the container that ends at `p`. */
function leave(p: usize): void {
  endValue(owner, p + 1)
  top -= FRAME_BYTES
  keys = load<u32>(top)
  owner = load<u32>(top, 4)
}
