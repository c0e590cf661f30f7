import { NEWLINE } from '../base/bytes'
import { areEqual, copyBytes, firstBytes } from '../base/copy'
import { endOf, RANGE_BYTES, startOf } from './text-ranges'

/** A slot without an entry. */
const FREE: u32 = 0xffff_ffff
/** The code of an absent text: its range ends before it starts. */
const ABSENT: u32 = 0

/** Addresses of arrays of 32-bit integers, and of the bytes of the first entry. */
let slots: usize = 0
let mask: u32 = 0
let hashes: usize = 0
let offsets: usize = 0
let entries: usize = 0
let count: u32 = 0
let hasNewline = false

/**
 * Starts a dictionary with one entry, for absent. `slotCount` must be a power of two, at least twice the final number
 * of entries, so that free slots are near; the slots are overwritten.
 */
export function initDictionary(
  slotsAt: usize,
  slotCount: u32,
  hashesAt: usize,
  offsetsAt: usize,
  entriesAt: usize,
): void {
  slots = slotsAt
  mask = slotCount - 1
  hashes = hashesAt
  offsets = offsetsAt
  entries = entriesAt
  count = 1
  hasNewline = false
  memory.fill(slots, 0xff, slotCount << 2)
}

/** Writes the code of each text to `codes`; codes count in order of first appearance. Returns the number of entries. */
export function internAll(ranges: usize, texts: u32, codes: usize): u32 {
  for (const last = ranges + texts * RANGE_BYTES; ranges < last; ranges += RANGE_BYTES, codes += 4) {
    const start = startOf(ranges)
    const end = endOf(ranges)
    store<u32>(codes, end < start ? ABSENT : intern(start, end))
  }
  return count
}

/** Returns whether an entry contains a newline. */
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
  hasNewline = hasNewline || containsNewline(start, end)
  store<u8>(entries + to, NEWLINE)
  store<u32>(offsets + (code << 2), to + 1, 4)
  return code
}

function containsNewline(start: usize, end: usize): bool {
  const newlines = i8x16.splat(i8(NEWLINE))
  for (; start + 16 <= end; start += 16) if (v128.any_true(i8x16.eq(v128.load(start), newlines))) return true
  const rest = i8x16.bitmask(i8x16.eq(v128.load(start), newlines))
  return (rest & ((1 << i32(end - start)) - 1)) != 0
}

/**
 * Returns a hash of [start, end): eight bytes at a time, multiplied by 2^64 / golden ratio. The upper half of a product
 * is mixed best.
 */
function hashOf(start: usize, end: usize): u32 {
  let hash: u64 = end - start
  for (; start + 8 <= end; start += 8) hash = mix(hash ^ load<u64>(start))
  hash = mix(mix(hash ^ firstBytes(load<u64>(start), end - start)))
  return u32(hash)
}

// @ts-ignore: decorator
@inline
function mix(hash: u64): u64 {
  const product = hash * 0x9e37_79b9_7f4a_7c15
  return product ^ (product >> 32)
}
