/**
 * Entry point: tells which lines may have something to be masked. A trigger is a text that such a line has. Texts are
 * in eight groups, the bits of a byte. For each of the last four bytes of a text two tables, of the low and of the high
 * half of a byte, have the groups that accept the half: 16 places of a line are compared with all texts at once, and a
 * text as a whole only where its group is found.
 */
import { MAX_TEXTS, PLACES, TABLES_BYTES, TEXT_BYTES } from '../../src/wasm-layout/triggers'
import { byteAt, CASE_BIT, DOT, MINUS, SPACE, ZERO } from '../base/bytes'
import { BYTES } from '../base/input'

const TRIGGERS: usize = memory.data(TABLES_BYTES + MAX_TEXTS * TEXT_BYTES, 16)
const TEXTS: usize = TRIGGERS + TABLES_BYTES
let texts: i32 = 0
/** The groups at 16 places. */
const FOUND: usize = memory.data(16, 16)

/** The fewest digits of a number that is a trigger. 0: no number is. */
let leastDigits: i32 = 0

/** A bit for each digit that is the first of numbers of cards. */
const FIRST_DIGITS: u32 = 0b101111100

/** Returns the address where the host writes tables and texts. */
export function triggersAddress(): usize {
  return TRIGGERS
}

/**
 * Sets the number of texts that the host has written. Numbers of `digits` are triggers too, with blanks, dashes and
 * points between digits; none are if `digits` is 0.
 */
export function setTriggers(count: i32, digits: i32): void {
  if (count > MAX_TEXTS) unreachable()
  texts = count
  leastDigits = digits
}

/** Returns whether the line in the bytes [start, end) has a trigger. Reads up to 20 bytes after `end`. */
export function hasTrigger(start: u32, end: u32): bool {
  return hasText(BYTES + start, BYTES + end) || (leastDigits > 0 && hasNumber(BYTES + start, BYTES + end))
}

function hasText(start: usize, end: usize): bool {
  const low0 = v128.load(TRIGGERS)
  const high0 = v128.load(TRIGGERS, 16)
  const low1 = v128.load(TRIGGERS, 32)
  const high1 = v128.load(TRIGGERS, 48)
  const low2 = v128.load(TRIGGERS, 64)
  const high2 = v128.load(TRIGGERS, 80)
  const low3 = v128.load(TRIGGERS, 96)
  const high3 = v128.load(TRIGGERS, 112)
  for (let p = start; p < end; p += 16) {
    let groups = groupsOf(v128.load(p), low0, high0)
    groups = v128.and(groups, groupsOf(v128.load(p, 1), low1, high1))
    groups = v128.and(groups, groupsOf(v128.load(p, 2), low2, high2))
    groups = v128.and(groups, groupsOf(v128.load(p, 3), low3, high3))
    if (v128.any_true(groups) && hasTextNear(start, p, groups)) return true
  }
  return false
}

/** Returns whether a text of its group is at one of the 16 places from `p` on. */
function hasTextNear(start: usize, p: usize, groups: v128): bool {
  v128.store(FOUND, groups)
  let places = ~i8x16.bitmask(i8x16.eq(groups, i8x16.splat(0))) & 0xffff
  for (; places != 0; places &= places - 1) {
    const place = ctz(places)
    if (hasTextAt(start, p + place, load<u8>(FOUND + place))) return true
  }
  return false
}

/** Returns whether a text of the groups has its last bytes at `p`. */
function hasTextAt(start: usize, p: usize, groups: u32): bool {
  for (let text = TEXTS, last = TEXTS + texts * TEXT_BYTES; text < last; text += TEXT_BYTES) {
    if ((load<u8>(text, 1) & groups) == 0) continue
    const length: usize = load<u8>(text)
    const first = length > <usize>PLACES ? p + PLACES - length : p
    if (first >= start && isText(text + 4, length, first, load<u8>(text, 2) != 0)) return true
  }
  return false
}

function isText(text: usize, length: usize, p: usize, folds: bool): bool {
  for (let i: usize = 0; i < length; i++) {
    const byte = byteAt(p + i)
    const isCapital = folds && byte - 0x41 < 26
    if ((isCapital ? byte | CASE_BIT : byte) != byteAt(text + i)) return false
  }
  return true
}

/** Returns the groups that accept each of 16 bytes. */
// @ts-ignore: decorator
@inline
function groupsOf(bytes: v128, low: v128, high: v128): v128 {
  const lowHalves = i8x16.swizzle(low, v128.and(bytes, i8x16.splat(0x0f)))
  return v128.and(lowHalves, i8x16.swizzle(high, i8x16.shr_u(bytes, 4)))
}

/**
 * Returns whether there is a number of enough digits, of which a group starts as numbers of cards do; numbers of times
 * start with 1. A run of the bytes of a number that is long enough has one of the bytes that are looked at.
 */
function hasNumber(start: usize, end: usize): bool {
  for (let p = start + leastDigits - 1; p < end; p += leastDigits) {
    if (!isOfNumber(byteAt(p))) continue
    let first = p
    while (first > start && isOfNumber(byteAt(first - 1))) first--
    let digits = 0
    let canStart = false
    let isInGroup = false
    for (p = first; p < end && isOfNumber(byteAt(p)); p++) {
      const digit = byteAt(p) - ZERO
      const isDigit = digit < 10
      if (isDigit) digits++
      if (isDigit && !isInGroup && ((FIRST_DIGITS >> digit) & 1) != 0) canStart = true
      isInGroup = isDigit
    }
    if (digits >= leastDigits && canStart) return true
  }
  return false
}

// @ts-ignore: decorator
@inline
function isOfNumber(byte: u32): bool {
  return byte - ZERO < 10 || byte == SPACE || byte == MINUS || byte == DOT
}
