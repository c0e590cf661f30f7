/**
 * Keys: finds the target of the value of a key, and records the keys of a record.
 *
 * Other fields of a record are merged into its metadata, so a field of the record is read as one of the metadata,
 * unless the metadata has a member of that name, earlier or later in the line and null included.
 */
import { ID, METADATA_FIELD, PATHS, PROJECT, SOURCE, TIMES } from '../../src/wasm-layout/field-table'
import { BACKSLASH, byteAt, hex4 } from '../base/bytes'
import { areEqual } from '../base/copy'
import { unescape } from '../fields/unescape'
import { CONTEXT_MASK, contextOf, fieldPlusOne, fieldTarget, METADATA, RECORD } from './frames'
import { appendKey, KNOWN, OTHER, OWN } from './key-list'
import { fixedTarget } from './names'
import { fieldCount, firstField, pathTarget } from './paths'
import { clearFields } from './table'
import { timeOrMessageTarget } from './time-and-message'

/** Most bytes of a known name with escapes: six per byte. A longer key is not a known name. */
const MAX_ESCAPED_BYTES: usize = 6 * 64
const DECODED: usize = memory.data(6 * 64 + 16, 16)

/** Number of `metadata` keys of the record so far, and how many of them to ignore. */
export let metadataKeys: i32 = 0
let ignoredMetadata: i32 = 0
/** The keys of paths that the metadata has members for; see `bitOf`. */
let owned: u32 = 0

/** Starts a record. Its first `ignored` keys `metadata` are ignored, since the last one is kept. */
export function beginRecord(ignored: i32): void {
  metadataKeys = 0
  ignoredMetadata = ignored
  owned = 0
}

/**
 * Returns the target of the value of the key at `key` in an object of this frame, 0 if the key is not known; `quote` is
 * the result of `closingQuote`.
 */
export function targetOfKey(frame: u32, key: usize, quote: i32): u32 {
  const context = frame & CONTEXT_MASK
  return quote > 0 ? targetOf(context, key, <usize>quote - key) : escapedTarget(context, key, ~quote)
}

/**
 * Records a key with this target. Clears the value of an earlier equal key: the last one is kept, null included.
 * Returns the target of its value, 0 if that is not to be read.
 */
export function keepKey(row: usize, frame: u32, target: u32, key: usize, quote: i32): u32 {
  const context = frame & CONTEXT_MASK
  if (context == RECORD) return recordTarget(row, target, key, quote)
  if (context == METADATA) recordOwn(target, key, quote)
  if (target != 0) clearTarget(row, target)
  return target
}

/** Returns the target of the value with the `length` bytes at `p` as its decoded key. */
// @ts-ignore: decorator
@inline
function targetOf(context: u32, p: usize, length: usize): u32 {
  return context == RECORD ? targetInRecord(p, length) : pathTarget(contextOf(context), p, length)
}

/** Compares with the names of the record, then with those of the metadata, which other fields are merged into. */
function targetInRecord(p: usize, length: usize): u32 {
  const fixed = fixedTarget(p, length)
  if (fixed != 0) return fixed
  const timeOrMessage = timeOrMessageTarget(p, length)
  return timeOrMessage != 0 ? timeOrMessage : pathTarget(contextOf(METADATA), p, length)
}

function escapedTarget(context: u32, key: usize, end: usize): u32 {
  if (end - key > MAX_ESCAPED_BYTES) return 0
  const after = unescape(key, end, DECODED)
  return after < 0 ? 0 : targetOf(context, DECODED, <usize>after - DECODED)
}

function recordTarget(row: usize, target: u32, key: usize, quote: i32): u32 {
  if (target == (METADATA | fieldTarget(METADATA_FIELD))) {
    appendKey(key, quote, KNOWN)
    return metadataKeys++ < ignoredMetadata ? 0 : target
  }
  const role = roleOf(target)
  appendKey(key, quote, role)
  if (target == 0 || (role == OTHER && (owned & bitOf(target)) != 0)) return 0
  clearTarget(row, target)
  return target
}

/** Returns the role of a record's key in the key list. */
function roleOf(target: u32): i32 {
  const field = fieldPlusOne(target) - 1
  if (field == ID || field == PROJECT) return KNOWN
  const mayBeOther = field == SOURCE || (field >= <u32>TIMES && field < <u32>PATHS)
  return mayBeOther ? field : OTHER
}

function recordOwn(target: u32, key: usize, quote: i32): void {
  appendKey(key, quote, OWN)
  if (target != 0) owned |= bitOf(target)
}

/** Returns a bit for the target of a key of the metadata: that of the first field at the key or below it. */
// @ts-ignore: decorator
@inline
function bitOf(target: u32): u32 {
  return 1 << (firstField(target) - PATHS)
}

// @ts-ignore: decorator
@inline
function clearTarget(row: usize, target: u32): void {
  clearFields(row, firstField(target), fieldCount(target))
}

/** Length of the longest name that `isKey` compares. */
const NAME_BYTES: usize = 8

/** Returns whether the key [p, end), which may be invalid, is the name of `length` bytes, at most eight, at `name`. */
export function isKey(p: usize, end: usize, name: usize, length: usize): bool {
  if (end - p == length) return areEqual(p, name, length)
  return end - p > length && decode(p, end) == length && areEqual(DECODED, name, length)
}

/** Decodes the key [p, end) to DECODED. Returns its length, 0 if it is longer than NAME_BYTES or not ASCII. */
function decode(p: usize, end: usize): usize {
  let length: usize = 0
  while (p < end) {
    const isUnicode = byteAt(p) == BACKSLASH && byteAt(p + 1) == 0x75
    // A short escape is kept: no name contains a backslash, or a character that a short escape encodes.
    const byte = isUnicode ? hex4(p + 2) : byteAt(p)
    if (byte > 0x7f || length == NAME_BYTES) return 0
    store<u8>(DECODED + length++, byte)
    p += isUnicode ? 6 : 1
  }
  return length
}
