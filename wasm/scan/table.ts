/** The field table's layout, as src/ingest/wasm/fields.ts lays it down, and the writing and reading of one line's row. */
import { fieldPlusOne, HAS_OTHERS, IS_ARRAY, METADATA, PLACE_MASK } from './frames'

export const SOURCE: u32 = 0
export const ID: u32 = 1
export const PROJECT: u32 = 2
export const METADATA_FIELD: u32 = 3
export const METADATA_PROJECT: u32 = 4
export const METADATA_PROJECT_REF: u32 = 5
export const FUNCTION_ID: u32 = 6
export const EXECUTION_TIME_MS: u32 = 7
export const STATUS_CODE: u32 = 8
export const URL: u32 = 9
export const PATH: u32 = 10
/** The fields that can hold the time, then those that can hold the message: NAMES_EACH of both, see time-and-message.ts. */
export const TIMES: u32 = 11
export const NAMES_EACH: u32 = 8
export const MESSAGES: u32 = TIMES + NAMES_EACH
const FIELD_COUNT: u32 = MESSAGES + NAMES_EACH

export const ABSENT: i32 = 0
export const STRING: i32 = 1
export const ESCAPED_STRING: i32 = 2
export const NUMBER: i32 = 3
export const OBJECT: i32 = 4
export const ARRAY_OF_OBJECTS: i32 = 5
const ARRAY: i32 = 6
export const BOOLEAN: i32 = 7

export const OK: i32 = 0
export const BLANK: i32 = 1
export const INVALID_JSON: i32 = 2
export const NOT_AN_OBJECT: i32 = 3
export const TOO_DEEP: i32 = 4

/** The words behind the fields; see `writeKeys` and `membersEnd`. One more makes a row a multiple of 16 bytes. */
const KEYS_START: usize = 4 * (3 + 3 * FIELD_COUNT)
const KEYS_END: usize = KEYS_START + 4
const MEMBERS_END: usize = KEYS_START + 8

/** Bytes of a row: outcome, line start, line end, then kind, start and end of each field, then the words above. */
export const ROW_BYTES: usize = KEYS_START + 16

/** Where the bytes to scan begin in memory; the table counts from here. */
export const BYTES: usize = (__heap_base + 63) & ~63

export function writeLine(row: usize, outcome: i32, start: usize, end: usize): void {
  store<i32>(row, outcome)
  store<i32>(row, <i32>(start - BYTES), 4)
  store<i32>(row, <i32>(end - BYTES), 8)
}

/** Makes `count` fields from `first` on absent. */
export function forget(row: usize, first: u32, count: u32): void {
  const start = slot(row, first)
  for (let p = start, end = start + 12 * count; p < end; p += 4) store<i32>(p, 0)
}

export function forgetAll(row: usize): void {
  for (let p = row, end = row + ROW_BYTES; p < end; p += 16) v128.store(p, i32x4.splat(0))
}

/** Writes the value [start, end) of the field that `target` names, if it names one. */
export function writeField(row: usize, target: u32, kind: i32, start: usize, end: usize): void {
  const field = fieldPlusOne(target)
  if (field == 0) return
  const at = slot(row, field - 1)
  store<i32>(at, kind)
  store<i32>(at, <i32>(start - BYTES), 4)
  store<i32>(at, <i32>(end - BYTES), 8)
}

/** Notes where the container that is the field's value begins; `closeField` completes it. */
export function openField(row: usize, target: u32, start: usize): void {
  writeField(row, target, 0, start, start)
}

/** Completes the field whose value is the container of this frame, which ends at `end`, and notes where the metadata's members end. */
export function closeField(row: usize, frame: u32, end: usize): void {
  if ((frame & (PLACE_MASK | IS_ARRAY)) == METADATA) store<i32>(row, <i32>(end - 1 - BYTES), MEMBERS_END)
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

/** Notes which entries of the key list (keys.ts) are this line's. */
export function writeKeys(row: usize, start: usize, end: usize): void {
  store<i32>(row, <i32>start, KEYS_START)
  store<i32>(row, <i32>end, KEYS_END)
}

// @ts-ignore: decorator
@inline
export function keysStart(row: usize): usize {
  return load<i32>(row, KEYS_START)
}

// @ts-ignore: decorator
@inline
export function keysEnd(row: usize): usize {
  return load<i32>(row, KEYS_END)
}

/** The address of the `}` of the metadata, or of its first object if it is an array; BYTES if the array is empty. */
export function membersEnd(row: usize): usize {
  return BYTES + load<i32>(row, MEMBERS_END)
}

/** The address of the newline behind the line. */
export function lineEnd(row: usize): usize {
  return BYTES + load<i32>(row, 8)
}

// @ts-ignore: decorator
@inline
export function outcomeOf(row: usize): i32 {
  return load<i32>(row)
}

// @ts-ignore: decorator
@inline
export function kindOf(row: usize, field: u32): i32 {
  return load<i32>(slot(row, field))
}

/** The address at which the field's value begins. */
// @ts-ignore: decorator
@inline
export function startOf(row: usize, field: u32): usize {
  return BYTES + load<i32>(slot(row, field), 4)
}

/** The address behind it. */
// @ts-ignore: decorator
@inline
export function endOf(row: usize, field: u32): usize {
  return BYTES + load<i32>(slot(row, field), 8)
}

// @ts-ignore: decorator
@inline
export function isText(row: usize, field: u32): bool {
  const kind = kindOf(row, field)
  return kind == STRING || kind == ESCAPED_STRING
}

// @ts-ignore: decorator
@inline
function slot(row: usize, field: u32): usize {
  return row + 12 + 12 * field
}
