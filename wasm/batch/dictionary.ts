/**
 * Dictionary of a category: its distinct texts, with codes from 0 in order of first appearance. A hash table with open
 * addressing, at most half full; the texts are stored contiguously.
 */
import { areEqual, copyBytes } from '../base/copy'
import { hashOf } from '../base/hash'
import { Column, INITIAL_SLOTS } from './columns'

/** Returns the code of the text [start, end); adds the text if this batch does not have it yet. */
export function codeOf(column: Column, start: usize, end: usize): i32 {
  const hash = hashOf(start, end)
  const slot = slotOf(column, hash, start, end)
  const entry = load<i32>(slot)
  return entry != 0 ? entry - 1 : add(column, slot, hash, start, end)
}

/** Returns the address of the slot of the text, or of the free slot where it belongs. */
function slotOf(column: Column, hash: u32, start: usize, end: usize): usize {
  let i = hash & column.slotMask
  while (true) {
    const slot = column.slots + 4 * i
    const entry = load<i32>(slot)
    if (entry == 0 || isEntry(column, entry - 1, hash, start, end)) return slot
    i = (i + 1) & column.slotMask
  }
}

function isEntry(column: Column, code: i32, hash: u32, start: usize, end: usize): bool {
  if (load<u32>(column.hashes + 4 * code) != hash) return false
  const offsets = column.offsets + 4 * code
  const from = load<i32>(offsets)
  const length = end - start
  return <usize>(load<i32>(offsets, 4) - from) == length && areEqual(column.texts + from, start, length)
}

function add(column: Column, slot: usize, hash: u32, start: usize, end: usize): i32 {
  const code = column.entries++
  const offsets = column.offsets + 4 * code
  const from = load<i32>(offsets)
  copyBytes(column.texts + from, start, end)
  store<i32>(offsets, from + <i32>(end - start), 4)
  store<u32>(column.hashes + 4 * code, hash)
  store<i32>(slot, code + 1)
  if (<u32>column.entries * 2 > column.slotMask + 1) doubleSlots(column)
  return code
}

function doubleSlots(column: Column): void {
  column.slotMask = column.slotMask * 2 + 1
  clearSlots(column)
  for (let code = 0; code < column.entries; code++) {
    let i = load<u32>(column.hashes + 4 * code) & column.slotMask
    while (load<i32>(column.slots + 4 * i) != 0) i = (i + 1) & column.slotMask
    store<i32>(column.slots + 4 * i, code + 1)
  }
}

/** Removes all entries. */
export function clearDictionary(column: Column): void {
  column.entries = 0
  clearSlots(column)
  column.slotMask = INITIAL_SLOTS - 1
}

function clearSlots(column: Column): void {
  memory.fill(column.slots, 0, 4 * (<usize>column.slotMask + 1))
}
