/**
 * Set of member names of an object: a hash table with open addressing, at most half full, of entries of the key list.
 */
import { areEqual } from '../base/copy'
import { hashOf } from '../base/hash'
import { areSameText } from '../fields/code-points'
import { unescape } from '../fields/unescape'
import { MEMBER_BYTES } from '../scan/key-list'
import { addressOf } from '../scan/strings'
import { maxTextBytes, reserve, reserveText } from './regions'

const MIN_SLOTS: u32 = 16

/** Table of addresses of entries; 0 is a free slot. */
let slots: usize = 0
let slotMask: u32 = 0
/** Scratch memory for hashing a name with escapes. */
let decoded: usize = 0

/** Reserves memory for the names of the longest line. */
export function reserveMemberNames(): void {
  slots = reserve(4 * <usize>slotsFor(<u32>(maxTextBytes / MEMBER_BYTES) + 1))
  decoded = reserveText()
}

function slotsFor(entries: u32): u32 {
  return max(MIN_SLOTS, <u32>1 << (33 - clz(entries)))
}

/** Empties the set and sizes its table for the names of `entries` entries. */
export function clearMemberNames(entries: u32): void {
  const count = slotsFor(entries)
  slotMask = count - 1
  memory.fill(slots, 0, 4 * <usize>count)
}

/** Adds the name of an entry. Returns false if the set already has that name. */
export function addIfNew(entry: usize): bool {
  let i = hashOfKey(entry) & slotMask
  while (true) {
    const slot = slots + 4 * <usize>i
    const other: usize = load<u32>(slot)
    if (other == 0) {
      store<u32>(slot, <u32>entry)
      return true
    }
    if (isSameKey(entry, other)) return false
    i = (i + 1) & slotMask
  }
}

function hashOfKey(entry: usize): u32 {
  const key: usize = load<i32>(entry)
  const quote = load<i32>(entry, 4)
  if (quote > 0) return hashOf(key, quote)
  const after = unescape(key, ~quote, decoded)
  return hashOf(decoded, after < 0 ? ~after : after)
}

function isSameKey(a: usize, b: usize): bool {
  const keyA: usize = load<i32>(a)
  const keyB: usize = load<i32>(b)
  const quoteA = load<i32>(a, 4)
  const quoteB = load<i32>(b, 4)
  if (quoteA < 0 || quoteB < 0) return areSameText(keyA, addressOf(quoteA), keyB, addressOf(quoteB))
  const length = <usize>quoteA - keyA
  return <usize>quoteB - keyB == length && areEqual(keyA, keyB, length)
}
