/**
 * Expected keys: records of a kind have mostly the same keys in the same order. Each key knows the key that followed it
 * in an earlier record, and the bytes of that one are compared with the next key before it is parsed and looked up.
 *
 * An entry is a key in an object of a frame, as `"name":`, with the target of its value. Entries are found by a hash;
 * one with the same hash is replaced, and since each has all its bytes, that costs time only.
 */
import { firstBytes } from '../base/copy'

/** Bytes of the longest key, its quotes and colon included. */
const MAX_BYTES: usize = 32

/** Offsets in an entry, after the bytes of the key: a bit for each of these bytes, … */
const BITS: usize = 32
/** … the frame plus one, so that an empty entry is no key, … */
const FRAME: usize = 36
/** … the target of the value, … */
const TARGET: usize = 40
/** … the number of the bytes, … */
const LENGTH: usize = 44
/** … and the address of the entry that followed last. */
const NEXT: usize = 48
const ENTRY_BYTES: usize = 64

const HASH_BITS: usize = 9
/** 2^64 divided by the golden ratio: Knuth's multiplicative hashing. */
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15
const ENTRIES_BYTES: i32 = 64 << 9
const ENTRIES: usize = memory.data(ENTRIES_BYTES, 16)

/** Comes before the first key of a line, and is no key itself. */
export const BEFORE_FIRST: usize = memory.data(64, 16)
forgetKeys()

/** Forgets all keys: to be called when the target of a key has changed. */
export function forgetKeys(): void {
  memory.fill(ENTRIES, 0, ENTRIES_BYTES)
  store<usize>(BEFORE_FIRST, BEFORE_FIRST, NEXT)
}

/** Returns the entry that followed `entry`; it may be empty. */
// @ts-ignore: decorator
@inline
export function entryAfter(entry: usize): usize {
  return load<usize>(entry, NEXT)
}

/** Returns whether the key of an entry is at `p` in an object of this frame. Reads 32 bytes. */
// @ts-ignore: decorator
@inline
export function isEntryAt(entry: usize, frame: u32, p: usize): bool {
  const low: u32 = i8x16.bitmask(i8x16.eq(v128.load(p), v128.load(entry)))
  const high: u32 = i8x16.bitmask(i8x16.eq(v128.load(p, 16), v128.load(entry, 16)))
  const bits = load<u32>(entry, BITS)
  return ((low | (high << 16)) & bits) == bits && load<u32>(entry, FRAME) == frame + 1
}

/** Returns the target of the value of an entry's key. */
// @ts-ignore: decorator
@inline
export function targetOfEntry(entry: usize): u32 {
  return load<u32>(entry, TARGET)
}

/** Returns the bytes of an entry's key, with its quotes and colon. */
// @ts-ignore: decorator
@inline
export function bytesOfEntry(entry: usize): usize {
  return load<u32>(entry, LENGTH)
}

/**
 * Expects the key in the bytes [start, end), with its quotes and colon and without escapes, after the key of `before`.
 * Returns its entry, or `before` if it is too long for one.
 */
export function expectAfter(before: usize, frame: u32, start: usize, end: usize, target: u32): usize {
  const length = end - start
  if (length > MAX_BYTES) return before
  const word = load<u64>(start + 1)
  const head = length < 10 ? firstBytes(word, length - 2) : word
  const hash = ((head ^ load<u64>(end - 8)) + frame + (<u64>length << 16)) * MULTIPLIER
  const entry = ENTRIES + <usize>(hash >> (64 - HASH_BITS)) * ENTRY_BYTES
  store<usize>(before, entry, NEXT)
  const bits: u32 = 0xffffffff >> <u32>(MAX_BYTES - length)
  if (load<u32>(entry, BITS) == bits && isEntryAt(entry, frame, start)) return entry
  v128.store(entry, v128.load(start))
  v128.store(entry, v128.load(start, 16), 16)
  store<u32>(entry, bits, BITS)
  store<u32>(entry, frame + 1, FRAME)
  store<u32>(entry, target, TARGET)
  store<u32>(entry, <u32>length, LENGTH)
  store<usize>(entry, BEFORE_FIRST, NEXT)
  return entry
}
