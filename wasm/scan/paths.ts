/**
 * Paths to fields of the metadata: a trie of keys that the host registers once.
 *
 * A context is an object on such a path, and has a set of keys. A key leads to a field, to the context of the objects
 * that are its values, or to both. Fields are numbered depth first, so those at a key and below it are a range.
 *
 * A key is found by its length, its first and last eight bytes, and, if it is longer than 16 bytes, all its bytes.
 */
import { MAX_CONTEXTS, MAX_NAME_BYTES, MAX_PATH_KEYS, MAX_PATHS, PATHS } from '../../src/wasm-layout/field-table'
import { areEqual, firstBytes } from '../base/copy'
import { BYTES } from '../base/input'
import { contextOf, contextTarget, fieldPlusOne, fieldTarget } from './frames'
import { useFields } from './table'

/** A registered key; its bytes follow. */
@unmanaged
class Key {
  /** Its first and last eight bytes: see `headOf` and `tailOf`. */
  head: u64
  tail: u64
  target: u32
  /** Number of the next key of this length in its context; 0 for none. */
  next: u32
}

/** Keys are numbered from 1. */
const KEY_STRIDE: usize = offsetof<Key>() + MAX_NAME_BYTES
const KEYS: usize = memory.data((offsetof<Key>() + MAX_NAME_BYTES) * (MAX_PATH_KEYS + 1), 16)
let keys: u32 = 0

/** For each context and length: the number of the first such key in a byte; 0 for none. */
const LENGTHS: usize = 128
const OF_LENGTH: usize = memory.data(128 * MAX_CONTEXTS, 16)

/** For each context: the first field at or below the key that leads to it, and the number of these fields. */
const RANGES: usize = memory.data(8 * MAX_CONTEXTS, 16)

/**
 * Registers a key of `length` bytes, which the host has written to the input, in the context `parent`. It leads to
 * `field` if that is not negative, and to `context` if that is not 0. The `count` fields from `first` on are at the
 * key or below it. More or longer keys than allowed are a trap.
 */
export function addPathKey(parent: u32, length: u32, field: i32, context: u32, first: u32, count: u32): void {
  if (keys == MAX_PATH_KEYS || length > <u32>MAX_NAME_BYTES || count == 0) unreachable()
  if (max(parent, context) >= <u32>MAX_CONTEXTS || first + count > <u32>(PATHS + MAX_PATHS)) unreachable()
  const number = ++keys
  const key = keyAt(number)
  const sameLength = ofLength(parent, length)
  key.head = headOf(BYTES, length)
  key.tail = tailOf(BYTES, length)
  key.target = contextTarget(context) | (field < 0 ? 0 : fieldTarget(field))
  key.next = load<u8>(sameLength)
  memory.copy(changetype<usize>(key) + offsetof<Key>(), BYTES, length)
  store<u8>(sameLength, number)
  store<u32>(RANGES + 8 * <usize>context, first)
  store<u32>(RANGES + 8 * <usize>context, count, 4)
  useFields(first + count)
}

/** Returns the target of the value with the `length` bytes at `p` as its key in a context; 0 if that lacks it. */
export function pathTarget(context: u32, p: usize, length: usize): u32 {
  if (length > <usize>MAX_NAME_BYTES) return 0
  let number: u32 = load<u8>(ofLength(context, length))
  if (number == 0) return 0
  const head = headOf(p, length)
  const tail = tailOf(p, length)
  do {
    const key = keyAt(number)
    if (key.head == head && key.tail == tail && (length <= 16 || hasBytes(key, p, length))) return key.target
    number = key.next
  } while (number != 0)
  return 0
}

/** Returns the first field at the key that has this target, or below it. */
export function firstField(target: u32): u32 {
  const context = contextOf(target)
  return context == 0 ? fieldPlusOne(target) - 1 : load<u32>(RANGES + 8 * <usize>context)
}

/** Returns the number of fields at the key that has this target, and below it. */
export function fieldCount(target: u32): u32 {
  const context = contextOf(target)
  return context == 0 ? 1 : load<u32>(RANGES + 8 * <usize>context, 4)
}

// @ts-ignore: decorator
@inline
function keyAt(number: u32): Key {
  return changetype<Key>(KEYS + KEY_STRIDE * <usize>number)
}

// @ts-ignore: decorator
@inline
function ofLength(context: u32, length: usize): usize {
  return OF_LENGTH + LENGTHS * <usize>context + length
}

function hasBytes(key: Key, p: usize, length: usize): bool {
  return areEqual(changetype<usize>(key) + offsetof<Key>(), p, length)
}

/** Returns the first eight bytes, zeros after the last. */
// @ts-ignore: decorator
@inline
function headOf(p: usize, length: usize): u64 {
  return length < 8 ? firstBytes(load<u64>(p), length) : load<u64>(p)
}

/** Returns the last eight bytes of a key that has that many. */
// @ts-ignore: decorator
@inline
function tailOf(p: usize, length: usize): u64 {
  return length < 8 ? 0 : load<u64>(p + length - 8)
}
