import { NEWLINE } from '../base/bytes'
import { areEqual, copyBytes, firstBytes } from '../base/copy'
import { endOf, PAIR_BYTES, startOf } from './pairs'

/** A slot without an entry. */
const FREE: u32 = 0xffff_ffff
/** The code of a text that ends before it starts. */
const ABSENT: u32 = 0

/** Addresses of arrays of 32-bit integers, and where the bytes of the first entry stand. */
let slots: usize = 0
let mask: u32 = 0
let hashes: usize = 0
let offsets: usize = 0
let entries: usize = 0
let count: u32 = 0
let hasNewline = false

/**
 * Where a dictionary grows that has one entry, that for absent. A power of two of slots, at least twice as many as there may be
 * entries, so that a free one is near; what they held goes.
 */
export function openDictionary(slotsAt: usize, slotCount: u32, hashesAt: usize, offsetsAt: usize, entriesAt: usize): void {
  slots = slotsAt
  mask = slotCount - 1
  hashes = hashesAt
  offsets = offsetsAt
  entries = entriesAt
  count = 1
  hasNewline = false
  memory.fill(slots, 0xff, slotCount << 2)
}

/** Writes the code of each text to `codes`: codes are given in the order of first appearance. Returns the number of entries. */
export function internAll(pairs: usize, texts: u32, codes: usize): u32 {
  for (const last = pairs + texts * PAIR_BYTES; pairs < last; pairs += PAIR_BYTES, codes += 4) {
    const start = startOf(pairs)
    const end = endOf(pairs)
    store<u32>(codes, end < start ? ABSENT : intern(start, end))
  }
  return count
}

/** Whether an entry holds a newline of its own. */
export function hasNewlines(): bool {
  return hasNewline
}

function intern(start: usize, end: usize): u32 {
  const hash = hashOf(start, end)
  let slot = hash & mask
  for (let code = codeIn(slot); code != FREE; code = codeIn(slot)) {
    if (load<u32>(hashes + (code << 2)) == hash && isEntry(code, start, end)) return code
    slot = (slot + 1) & mask
  }
  store<u32>(slots + (slot << 2), count)
  return add(hash, start, end)
}

// @ts-ignore: decorator
@inline
function codeIn(slot: u32): u32 {
  return load<u32>(slots + (slot << 2))
}

function isEntry(code: u32, start: usize, end: usize): bool {
  const from = load<u32>(offsets + (code << 2))
  const to = load<u32>(offsets + (code << 2), 4) - 1
  return to - from == end - start && areEqual(entries + from, start, end - start)
}

function add(hash: u32, start: usize, end: usize): u32 {
  const code = count++
  store<u32>(hashes + (code << 2), hash)
  const from = load<u32>(offsets + (code << 2))
  const to = from + (end - start)
  copyBytes(entries + from, start, end)
  hasNewline = hasNewline || holdsNewline(start, end)
  store<u8>(entries + to, NEWLINE)
  store<u32>(offsets + (code << 2), to + 1, 4)
  return code
}

function holdsNewline(start: usize, end: usize): bool {
  const newlines = i8x16.splat(i8(NEWLINE))
  for (; start + 16 <= end; start += 16) if (v128.any_true(i8x16.eq(v128.load(start), newlines))) return true
  const rest = i8x16.bitmask(i8x16.eq(v128.load(start), newlines))
  return (rest & ((1 << i32(end - start)) - 1)) != 0
}

/** Eight bytes at a time, multiplied by 2^64 / golden ratio, whose upper half is mixed best. */
function hashOf(start: usize, end: usize): u32 {
  let hash: u64 = end - start
  for (; start + 8 <= end; start += 8) hash = mixed(hash ^ load<u64>(start))
  hash = mixed(mixed(hash ^ firstBytes(load<u64>(start), end - start)))
  return u32(hash)
}

// @ts-ignore: decorator
@inline
function mixed(hash: u64): u64 {
  const product = hash * 0x9e37_79b9_7f4a_7c15
  return product ^ (product >> 32)
}
