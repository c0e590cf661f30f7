/** Entry point: the values of paths in many texts as codes, a dictionary for each path. */
import {
  ENTRY_BYTES,
  ENTRY_CODE,
  ENTRY_HASH,
  ENTRY_LENGTH,
  ENTRY_PATH,
  ENTRY_START,
  HAS_OTHERS,
  IS_COUNT,
  IS_UNFIT,
  MAX_INTEGER,
  MAX_INTEGERS,
  MAX_VALUE_BYTES,
  MAX_VALUES,
  ONE_ELEMENT,
  OTHER_ELEMENTS,
  PATH_BYTES,
  PATH_COUNT,
  PATH_FLAGS,
} from '../../src/wasm-layout/path-interner'
import { ABSENT, JSON_VALUE, NUMBER, TEXT } from '../../src/wasm-layout/values'
import { byteAt, OPEN_OBJECT } from '../base/bytes'
import { areEqual, copyBytes } from '../base/copy'
import { hashOf } from '../base/hash'
import { elementCount } from '../base/host'
import { paths, pathEnd, walk } from './extract'
import { kindOf, resultEnd, resultStart } from './nodes'

/** A value is given up after so many other entries at its place: the bytes of texts may be chosen so that many meet. */
const MAX_PROBES: u32 = 64
const GOLDEN: u32 = 0x9e37_79b9

/** Table of entries by hash, a power of two of numbers: the number of an entry and 1, or 0. */
let slots: usize = 0
let mask: u32 = 0
let seed: u32 = 0
/** The entries, their bytes, and the state of each path. */
let entries: usize = 0
let maxEntries: u32 = 0
let count: u32 = 0
let bytes: usize = 0
let bytesEnd: usize = 0
let states: usize = 0

/** Starts empty dictionaries. The host sets the states of the paths, and sets the slots to zero. */
export function initInterner(
  slotsAt: usize,
  slotCount: u32,
  hashSeed: u32,
  entriesAt: usize,
  entryCount: u32,
  bytesAt: usize,
  byteCount: usize,
  statesAt: usize,
): void {
  slots = slotsAt
  mask = slotCount - 1
  seed = hashSeed
  entries = entriesAt
  maxEntries = entryCount
  count = 0
  bytes = bytesAt
  bytesEnd = bytesAt + byteCount
  states = statesAt
}

/**
 * Writes the codes of the paths in `rows` texts; the start and end addresses of the texts are at `ranges`. The code of
 * path p in row r is at `codes + p * stride + 2 * r`. Returns the number of all entries.
 */
export function internRows(ranges: usize, rows: u32, codes: usize, stride: usize, scratch: usize): u32 {
  for (const last = ranges + 8 * rows; ranges < last; ranges += 8, codes += 2) {
    walk(load<u32>(ranges), load<u32>(ranges, 4), scratch)
    let at = codes
    for (let path: u32 = 0; path < paths; path++, at += stride) store<u16>(at, codeOf(path, pathEnd(path)))
  }
  return count
}

function codeOf(path: u32, node: usize): u32 {
  const state = states + path * PATH_BYTES
  const flags = load<u32>(state, PATH_FLAGS)
  const kind = kindOf(node)
  if (kind == ABSENT || (flags & IS_UNFIT) != 0) return 0
  const start = resultStart(node)
  const end = resultEnd(node)
  if ((flags & IS_COUNT) != 0) return kind == JSON_VALUE ? countOf(start, end) : 0
  // The byte before a text is a quote.
  return intern(path, state, kind, kind == TEXT ? start - 1 : start, end)
}

function countOf(start: usize, end: usize): u32 {
  if (byteAt(start) == OPEN_OBJECT) return ONE_ELEMENT
  const elements = elementCount(start, end)
  return elements == 0 ? 0 : elements == 1 ? ONE_ELEMENT : OTHER_ELEMENTS
}

function intern(path: u32, state: usize, kind: u32, start: usize, end: usize): u32 {
  const length = end - start
  if (<u32>length > <u32>MAX_VALUE_BYTES) return giveUp(state)
  const hash = (hashOf(start, end) ^ seed) + path * GOLDEN
  let slot = (hash ^ (hash >> 15)) & mask
  for (let probe: u32 = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & mask) {
    const number = load<u32>(slots + (slot << 2))
    if (number == 0) return add(path, state, kind, hash, start, length, slot)
    const entry = entries + (number - 1) * ENTRY_BYTES
    if (
      load<u32>(entry, ENTRY_HASH) == hash &&
      load<u32>(entry, ENTRY_PATH) == path &&
      load<u32>(entry, ENTRY_LENGTH) == <u32>length &&
      areEqual(load<u32>(entry, ENTRY_START), start, length)
    ) {
      return load<u32>(entry, ENTRY_CODE)
    }
  }
  return giveUp(state)
}

function giveUp(state: usize): u32 {
  store<u32>(state, load<u32>(state, PATH_FLAGS) | IS_UNFIT, PATH_FLAGS)
  return 0
}

function add(path: u32, state: usize, kind: u32, hash: u32, start: usize, length: usize, slot: u32): u32 {
  const code = load<u32>(state, PATH_COUNT) + 1
  let flags = load<u32>(state, PATH_FLAGS)
  if (kind != NUMBER || !isInteger(start, length)) flags |= HAS_OTHERS
  store<u32>(state, flags, PATH_FLAGS)
  const most: u32 = (flags & HAS_OTHERS) != 0 ? MAX_VALUES : MAX_INTEGERS
  // Bytes after a copy may be overwritten.
  if (code > most || count == maxEntries || bytes + length + 16 > bytesEnd) return giveUp(state)
  store<u32>(state, code, PATH_COUNT)
  const entry = entries + count * ENTRY_BYTES
  store<u32>(entry, hash, ENTRY_HASH)
  store<u32>(entry, <u32>bytes, ENTRY_START)
  store<u32>(entry, <u32>length, ENTRY_LENGTH)
  store<u32>(entry, path, ENTRY_PATH)
  store<u32>(entry, code, ENTRY_CODE)
  copyBytes(bytes, start, start + length)
  bytes += length
  store<u32>(slots + (slot << 2), ++count)
  return code
}

/** Returns whether a number is spelled as an integer of two bytes. */
function isInteger(start: usize, length: usize): bool {
  if (length > 5) return false
  let value: u32 = 0
  for (let p = start; p < start + length; p++) {
    const digit = byteAt(p) - 0x30
    if (digit > 9) return false
    value = value * 10 + digit
  }
  return value <= <u32>MAX_INTEGER
}
