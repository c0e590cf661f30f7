/**
 * Keys: from the bytes between a key's quotes to the target of its value, and the list of the keys of a record.
 *
 * A record's other fields join its metadata, so that a field of the record is read as one of the metadata, unless the
 * metadata has a field of that name itself, before or behind it, null included.
 */
import { ID, METADATA_FIELD, PATH, PROJECT, SOURCE, STATUS_CODE, TIMES, URL } from '../../src/wasm-layout/field-table'
import { BACKSLASH, byteAt, hex4 } from '../base/bytes'
import { areEqual } from '../base/copy'
import { unescape } from '../fields/unescape'
import { fieldPlusOne, METADATA, ofField, PLACE_MASK, RECORD, REQUEST, RESPONSE } from './frames'
import { KNOWN, noteKey, OTHER, OWN } from './key-list'
import { targetOf } from './names'
import { forget } from './table'

/** An escape takes up to six bytes, a name up to 64; a longer key is none of the names. */
const LONGEST_ESCAPED: usize = 6 * 64
const DECODED: usize = memory.data(6 * 64 + 16, 16)

/** How many keys `metadata` the record has had, and how many of them are passed over. */
export let metadataKeys: i32 = 0
let ignoredMetadata: i32 = 0
/** The targets in the metadata that it has a field for itself; see `bitOf`. */
let owned: u32 = 0

/** Begins a record; the first `ignored` keys `metadata` of it are passed over, since the last one wins. */
export function beginRecord(ignored: i32): void {
  metadataKeys = 0
  ignoredMetadata = ignored
  owned = 0
}

/**
 * The target of the value of a key in an object of this frame; `quote` is what `closingQuote` gave for the key at `key`.
 * A value that an earlier equal key had is forgotten: the last one wins whole, null included.
 */
export function keyTarget(row: usize, frame: u32, key: usize, quote: i32): u32 {
  const place = frame & PLACE_MASK
  const target = quote > 0 ? targetOf(place, key, <usize>quote - key) : escapedTarget(place, key, ~quote)
  if (place == RECORD) return recordTarget(row, target, key, quote)
  if (place == METADATA) noteOwn(target, key, quote)
  if (target != 0) forgetTarget(row, target)
  return target
}

function escapedTarget(place: u32, key: usize, end: usize): u32 {
  if (end - key > LONGEST_ESCAPED) return 0
  const behind = unescape(key, end, DECODED)
  return behind < 0 ? 0 : targetOf(place, DECODED, <usize>behind - DECODED)
}

function recordTarget(row: usize, target: u32, key: usize, quote: i32): u32 {
  if (target == (METADATA | ofField(METADATA_FIELD))) {
    noteKey(key, quote, KNOWN)
    return metadataKeys++ < ignoredMetadata ? 0 : target
  }
  const role = roleOf(target)
  noteKey(key, quote, role)
  if (target == 0 || (role == OTHER && (owned & bitOf(target)) != 0)) return 0
  forgetTarget(row, target)
  return target
}

/** The role of a key of the record in the key list. */
function roleOf(target: u32): i32 {
  const field = fieldPlusOne(target) - 1
  if (field == ID || field == PROJECT) return KNOWN
  const mayBeOther = field == SOURCE || (field >= <u32>TIMES && field != NONE)
  return mayBeOther ? field : OTHER
}

/** The number of the field of a target that is none. */
const NONE: u32 = u32.MAX_VALUE

function noteOwn(target: u32, key: usize, quote: i32): void {
  noteKey(key, quote, OWN)
  if (target != 0) owned |= bitOf(target)
}

/** A bit for each target in the metadata, which is a place or a field, and no field has the number of a place. */
function bitOf(target: u32): u32 {
  return 1 << (((target & PLACE_MASK) >> 1) | fieldPlusOne(target))
}

function forgetTarget(row: usize, target: u32): void {
  switch (target & PLACE_MASK) {
    case REQUEST:
      return forget(row, URL, PATH - URL + 1)
    case RESPONSE:
      return forget(row, STATUS_CODE, 1)
    default:
      return forget(row, fieldPlusOne(target) - 1, 1)
  }
}

/** The longest name that `isKey` looks for. */
const NAME_BYTES: usize = 8

/** Whether the key [p, end), which need not be valid, is the name of `length` bytes, at most eight, at `name`. */
export function isKey(p: usize, end: usize, name: usize, length: usize): bool {
  if (end - p == length) return areEqual(p, name, length)
  return end - p > length && decode(p, end) == length && areEqual(DECODED, name, length)
}

/** Decodes the key [p, end) to DECODED and gives its length, or 0 if it is longer than NAME_BYTES or not ASCII. */
function decode(p: usize, end: usize): usize {
  let length: usize = 0
  while (p < end) {
    const isUnicode = byteAt(p) == BACKSLASH && byteAt(p + 1) == 0x75
    // A short escape stays as it is: no name has a backslash, nor anything that a short escape stands for.
    const byte = isUnicode ? hex4(p + 2) : byteAt(p)
    if (byte > 0x7f || length == NAME_BYTES) return 0
    store<u8>(DECODED + length++, byte)
    p += isUnicode ? 6 : 1
  }
  return length
}
