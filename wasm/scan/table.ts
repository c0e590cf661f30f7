/** Writes and reads rows of the field table (src/wasm-layout/field-table.ts). */
import {
  ARRAY,
  ARRAY_OF_OBJECTS,
  ESCAPED_STRING,
  FIELD_INTS,
  HEADER_INTS,
  LINE_INTS,
  OBJECT,
  PATHS,
  STRING,
} from '../../src/wasm-layout/field-table'
import { BYTES } from '../base/input'
import { CONTEXT_MASK, fieldPlusOne, HAS_OTHERS, IS_ARRAY, METADATA } from './frames'

/** Byte offsets of the private words of the header: see `writeKeys` and `membersEnd`. */
const KEYS_START: usize = 12
const KEYS_END: usize = 16
const MEMBERS_END: usize = 20

/** Bytes of a row. */
export const ROW_BYTES: usize = 4 * LINE_INTS

/** Bytes of a row up to the last field in use. Those after it stay zero. */
let usedBytes: usize = 4 * (HEADER_INTS + FIELD_INTS * PATHS)

/** Registers that the fields before `end` are in use. */
export function useFields(end: usize): void {
  usedBytes = max(usedBytes, 4 * HEADER_INTS + 4 * FIELD_INTS * end)
}

/** Writes the outcome and the range of a line. */
export function writeLine(row: usize, outcome: i32, start: usize, end: usize): void {
  store<i32>(row, outcome)
  store<i32>(row, <i32>(start - BYTES), 4)
  store<i32>(row, <i32>(end - BYTES), 8)
}

/** Makes `count` fields from `first` on absent. */
export function clearFields(row: usize, first: u32, count: u32): void {
  const start = slot(row, first)
  for (let p = start, end = start + 4 * FIELD_INTS * count; p < end; p += 4) store<i32>(p, 0)
}

/** Zeroes a row: all fields are absent. */
export function clearRow(row: usize): void {
  for (let p = row, end = row + usedBytes; p < end; p += 16) v128.store(p, i32x4.splat(0))
}

/** Writes the value [start, end) to the field of `target`, if it has one. */
export function writeField(row: usize, target: u32, kind: i32, start: usize, end: usize): void {
  const field = fieldPlusOne(target)
  if (field == 0) return
  const at = slot(row, field - 1)
  store<i32>(at, kind)
  store<i32>(at, <i32>(start - BYTES), 4)
  store<i32>(at, <i32>(end - BYTES), 8)
}

/** Writes the start of a container that is the value of a field; `closeField` completes it. */
export function openField(row: usize, target: u32, start: usize): void {
  writeField(row, target, 0, start, start)
}

/** Completes the field of this frame's container, which ends at `end`. Also sets the end of the metadata's members. */
export function closeField(row: usize, frame: u32, end: usize): void {
  if ((frame & (CONTEXT_MASK | IS_ARRAY)) == METADATA) store<i32>(row, <i32>(end - 1 - BYTES), MEMBERS_END)
  const field = fieldPlusOne(frame)
  if (field == 0) return
  const at = slot(row, field - 1)
  store<i32>(at, containerKind(frame))
  store<i32>(at, <i32>(end - BYTES), 8)
}

function containerKind(frame: u32): i32 {
  if (!(frame & IS_ARRAY)) return OBJECT
  return frame & HAS_OTHERS ? ARRAY : ARRAY_OF_OBJECTS
}

/** Writes which entries of the key list (key-list.ts) belong to the line. */
export function writeKeys(row: usize, start: usize, end: usize): void {
  store<i32>(row, <i32>start, KEYS_START)
  store<i32>(row, <i32>end, KEYS_END)
}

/** Returns the address of the line's first entry in the key list. */
// @ts-ignore: decorator
@inline
export function keysStart(row: usize): usize {
  return load<i32>(row, KEYS_START)
}

/** Returns the address after the line's last entry in the key list. */
// @ts-ignore: decorator
@inline
export function keysEnd(row: usize): usize {
  return load<i32>(row, KEYS_END)
}

/**
 * Returns the address of the `}` of the metadata, or of its first object if it is an array; BYTES if the array is
 * empty.
 */
export function membersEnd(row: usize): usize {
  return BYTES + load<i32>(row, MEMBERS_END)
}

/** Returns the address of the newline after the line. */
export function lineEnd(row: usize): usize {
  return BYTES + load<i32>(row, 8)
}

/** Returns the outcome of the scan of a line. */
// @ts-ignore: decorator
@inline
export function outcomeOf(row: usize): i32 {
  return load<i32>(row)
}

/** Returns the kind of the value of a field, ABSENT if there is none. */
// @ts-ignore: decorator
@inline
export function kindOf(row: usize, field: u32): i32 {
  return load<i32>(slot(row, field))
}

/** Returns the address where the field's value starts. */
// @ts-ignore: decorator
@inline
export function startOf(row: usize, field: u32): usize {
  return BYTES + load<i32>(slot(row, field), 4)
}

/** Returns the address after the field's value. */
// @ts-ignore: decorator
@inline
export function endOf(row: usize, field: u32): usize {
  return BYTES + load<i32>(slot(row, field), 8)
}

/** Returns whether the value of a field is a string. */
// @ts-ignore: decorator
@inline
export function isText(row: usize, field: u32): bool {
  const kind = kindOf(row, field)
  return kind == STRING || kind == ESCAPED_STRING
}

// @ts-ignore: decorator
@inline
function slot(row: usize, field: u32): usize {
  return row + 4 * HEADER_INTS + 4 * FIELD_INTS * field
}
