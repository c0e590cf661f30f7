/**
 * Names of the fields that can contain the time and the message of a record. The host registers them in order of
 * preference.
 */
import { MAX_NAME_BYTES, MAX_NAMES, MESSAGES, METADATA_CONTEXT, TIMES } from '../../src/wasm-layout/field-table'
import { areEqual } from '../base/copy'
import { BYTES } from '../base/input'
import { forgetKeys } from './expected-keys'
import { fieldTarget } from './frames'
import { pathTarget } from './paths'

/**
 * The name of each field from TIMES on. A longer name, or more than MAX_NAMES of a kind, is a trap; the settings are
 * checked earlier.
 */
const NAMES: usize = memory.data(2 * MAX_NAMES * MAX_NAME_BYTES, 16)
/** For each length: bit i is set if the name of field TIMES + i has it. */
const OF_LENGTH: usize = memory.data(4 * (MAX_NAME_BYTES + 1), 16)

/** For each name: the target of the same key in the metadata, where the field goes if another name is chosen. */
const PATH_TARGETS: usize = memory.data(4 * 2 * MAX_NAMES, 16)
/** Bit i is set if the name of field TIMES + i is also a key of a path. */
export let shadowing: u32 = 0

/** Number of registered names of each kind. */
export let timeNames: u32 = 0
export let messageNames: u32 = 0

/** Removes all names. */
export function clearFieldNames(): void {
  forgetKeys()
  memory.fill(OF_LENGTH, 0, 4 * (MAX_NAME_BYTES + 1))
  timeNames = 0
  messageNames = 0
  shadowing = 0
}

/** Registers the next name of a time field; the host has written it to the input. */
export function addTimeName(length: u32): void {
  if (timeNames == MAX_NAMES) unreachable()
  addName(timeNames++, length)
}

/** Registers the next name of a message field; the host has written it to the input. */
export function addMessageName(length: u32): void {
  if (messageNames == MAX_NAMES) unreachable()
  addName(MESSAGES - TIMES + messageNames++, length)
}

function addName(number: u32, length: usize): void {
  if (length > <usize>MAX_NAME_BYTES) unreachable()
  memory.copy(nameAt(number), BYTES, length)
  const names = OF_LENGTH + 4 * length
  store<u32>(names, load<u32>(names) | (1 << number))
  const target = pathTarget(METADATA_CONTEXT, BYTES, length)
  store<u32>(PATH_TARGETS + 4 * number, target)
  if (target != 0) shadowing |= 1 << number
}

/** Returns the target of the key in the metadata that equals the name of a time or message field; 0 for none. */
export function pathTargetOf(field: u32): u32 {
  return load<u32>(PATH_TARGETS + 4 * (field - TIMES))
}

/** Returns the target of the value with the `length` bytes at `p` as its name; 0 if the name is not registered. */
// @ts-ignore: decorator
@inline
export function timeOrMessageTarget(p: usize, length: usize): u32 {
  return length > <usize>MAX_NAME_BYTES ? 0 : targetAmong(load<u32>(OF_LENGTH + 4 * length), p, length)
}

function targetAmong(names: u32, p: usize, length: usize): u32 {
  for (; names != 0; names &= names - 1) {
    const number = ctz(names)
    if (areEqual(nameAt(number), p, length)) return fieldTarget(TIMES + number)
  }
  return 0
}

// @ts-ignore: decorator
@inline
function nameAt(number: u32): usize {
  return NAMES + MAX_NAME_BYTES * number
}
