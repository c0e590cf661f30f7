/** The field table's layout, as src/ingest/fields.ts lays it down, and the writing and reading of one line's row. */
import { FIELD_MASK, FIELD_SHIFT, HAS_OTHERS, IS_ARRAY } from './frames'

export const SOURCE: u32 = 0
export const ID: u32 = 1
export const TIMESTAMP: u32 = 2
export const PROJECT: u32 = 3
export const EVENT_MESSAGE: u32 = 4
export const METADATA_FIELD: u32 = 5
export const METADATA_PROJECT: u32 = 6
export const METADATA_PROJECT_REF: u32 = 7
export const FUNCTION_ID: u32 = 8
export const EXECUTION_TIME_MS: u32 = 9
export const STATUS_CODE: u32 = 10
export const URL: u32 = 11
export const PATH: u32 = 12
export const MESSAGE: u32 = 13
const FIELD_COUNT: u32 = 14

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

/** Bytes of a row: outcome, line start, line end, then kind, start and end of each field. */
export const ROW_BYTES: usize = 4 * (3 + 3 * FIELD_COUNT)

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
  forget(row, 0, FIELD_COUNT)
}

/** Writes the value [start, end) of the field that `target` names, if it names one. */
export function writeField(row: usize, target: u32, kind: i32, start: usize, end: usize): void {
  const field = (target & FIELD_MASK) >> FIELD_SHIFT
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

/** Completes the field whose value is the container of this frame, which ends at `end`. */
export function closeField(row: usize, frame: u32, end: usize): void {
  const field = (frame & FIELD_MASK) >> FIELD_SHIFT
  if (field == 0) return
  const at = slot(row, field - 1)
  store<i32>(at, containerKind(frame))
  store<i32>(at, <i32>(end - BYTES), 8)
}

function containerKind(frame: u32): i32 {
  if (!(frame & IS_ARRAY)) return OBJECT
  return frame & HAS_OTHERS ? ARRAY : ARRAY_OF_OBJECTS
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
