/**
 * Names of sources, as the host registers them, and the index of the batch builder of each: names and aliases of the
 * nine sources, which are compared as sent, and own names, which are compared lowered.
 */
import { areEqual } from '../base/copy'
import { hashOf } from '../base/hash'
import { BYTES } from '../base/input'
import { lower, LOWERED, MAX_LENGTH } from './lowered-name'

/** No source can have the name. */
export const UNKNOWN: i32 = -1
/** An own source can have the name, but has no builder yet. */
export const NEW: i32 = -2

/** Flag of a name: the text is the name as it is, and was not lowered. */
export const EXACT: i32 = 1
/** Flag of a name: a record that has it belongs to this source, even if there is a default source. */
export const PRECEDES_DEFAULT: i32 = 2

/** An entry: the index of its builder, the length of its name, its flags, and from the 16th byte on the name. */
const ENTRY_BYTES: i32 = 16 + MAX_LENGTH + 1

/** Names and aliases of the nine. More are a trap. */
const MAX_NAMES: i32 = 32
const NAMES: usize = memory.data(MAX_NAMES * ENTRY_BYTES, 16)
let namesEnd: usize = NAMES

/** Own names, and a table of their numbers plus one, by hash; 0 is a free slot. More names are a trap. */
const MAX_OWN: i32 = 512
const OWN: usize = memory.data(MAX_OWN * ENTRY_BYTES, 16)
const SLOT_MASK: u32 = 2 * MAX_OWN - 1
const SLOTS: usize = memory.data(2 * 2 * MAX_OWN, 16)
let ownNames: i32 = 0
/** Own names that precede a default. */
let preceding: i32 = 0

/** The last text that named an own source, as an entry. */
const LAST_OWN: usize = memory.data(ENTRY_BYTES, 16)

/** The last entry that matched, checked first: most streams have runs of one source. */
let last: usize = NAMES

/** The flags of the last name. */
export let nameFlags: i32 = 0
/** The length of the last name, in LOWERED, if it is NEW. */
export let newLength: i32 = 0

/** Registers a name of a builder of the nine; the host has written it to the input. */
export function addSourceName(builder: i32, length: i32): void {
  if (namesEnd == NAMES + MAX_NAMES * ENTRY_BYTES) unreachable()
  putEntry(namesEnd, builder, BYTES, length, EXACT | PRECEDES_DEFAULT)
  namesEnd += ENTRY_BYTES
}

/** Returns the address where the host writes own names, and where it reads a name that is NEW. */
export function ownNameAddress(): usize {
  return LOWERED
}

/** Registers an own name without a builder. The flag says whether it precedes a default. */
export function addOwnName(length: i32, precedesDefault: bool): void {
  if (ownNames == MAX_OWN) unreachable()
  putEntry(OWN + ownNames++ * ENTRY_BYTES, NEW, LOWERED, length, precedesDefault ? PRECEDES_DEFAULT : 0)
  store<u16>(slotOf(length), <u16>ownNames)
  if (precedesDefault) preceding++
}

/** Sets the builder of an own name, which is registered if it is not. */
export function setOwnBuilder(length: i32, builder: i32): void {
  if (load<u16>(slotOf(length)) == 0) addOwnName(length, false)
  store<i32>(entryIn(slotOf(length)), builder)
}

/** Removes all own names. */
export function clearOwnNames(): void {
  ownNames = 0
  preceding = 0
  memory.fill(SLOTS, 0, 2 * (SLOT_MASK + 1))
  last = NAMES
}

/**
 * Returns the index of the builder of the source that the text [start, end) names, NEW or UNKNOWN, and sets the flags
 * of the name. `hasDefault`: only names that precede a default are looked up.
 */
export function builderNamed(start: usize, end: usize, hasDefault: bool): i32 {
  if (isName(last, start, end)) return builderOf(last)
  for (let name = NAMES; name < namesEnd; name += ENTRY_BYTES) {
    if (!isName(name, start, end)) continue
    last = name
    return builderOf(name)
  }
  return hasDefault && preceding == 0 ? UNKNOWN : ownBuilderNamed(start, end)
}

function ownBuilderNamed(start: usize, end: usize): i32 {
  const length = lower(start, end)
  if (length < 0) return UNKNOWN
  nameFlags = <usize>length == end - start && areEqual(LOWERED, start, length) ? EXACT : 0
  newLength = length
  const slot = slotOf(length)
  if (load<u16>(slot) == 0) return NEW
  const entry = entryIn(slot)
  nameFlags |= load<i32>(entry, 8)
  const builder = load<i32>(entry)
  if (builder >= 0 && end - start <= <usize>MAX_LENGTH) {
    putEntry(LAST_OWN, builder, start, <i32>(end - start), nameFlags)
    last = LAST_OWN
  }
  return builder
}

function putEntry(entry: usize, builder: i32, start: usize, length: i32, flags: i32): void {
  if (length > MAX_LENGTH) unreachable()
  store<i32>(entry, builder)
  store<i32>(entry, length, 4)
  store<i32>(entry, flags, 8)
  memory.copy(entry + 16, start, length)
}

/** Returns the slot of the own name in LOWERED: a free slot if the name is not registered. */
function slotOf(length: i32): usize {
  let slot = hashOf(LOWERED, LOWERED + length) & SLOT_MASK
  while (true) {
    const at = SLOTS + 2 * slot
    if (load<u16>(at) == 0 || isName(entryIn(at), LOWERED, LOWERED + length)) return at
    slot = (slot + 1) & SLOT_MASK
  }
}

// @ts-ignore: decorator
@inline
function entryIn(slot: usize): usize {
  return OWN + (<usize>load<u16>(slot) - 1) * ENTRY_BYTES
}

// @ts-ignore: decorator
@inline
function builderOf(entry: usize): i32 {
  nameFlags = load<i32>(entry, 8)
  return load<i32>(entry)
}

// @ts-ignore: decorator
@inline
function isName(entry: usize, start: usize, end: usize): bool {
  const length: usize = load<i32>(entry, 4)
  return end - start == length && areEqual(entry + 16, start, length)
}
