/**
 * Writes the metadata of a record: its own members, then the other fields of the record, byte for byte as sent.
 *
 * A member of the metadata has precedence over another field with the same name; of other fields with equal names the
 * last is kept. If the metadata is an array, the fields are added to its first object. The result is never longer than
 * the line, since every added byte is in the line too.
 */
import { ABSENT, METADATA_FIELD, SOURCE } from '../../src/wasm-layout/field-table'
import { byteAt, CLOSE_OBJECT, COMMA, SPACE } from '../base/bytes'
import { copyBytes } from '../base/copy'
import { BYTES } from '../base/input'
import { ENTRY_BYTES, OTHER, OWN } from '../scan/key-list'
import { endOf, keysEnd, keysStart, kindOf, lineEnd, membersEnd, startOf } from '../scan/table'
import { Column } from './columns'
import { addIfNew, clearMemberNames } from './member-names'
import { endText, putBytes, textAt } from './texts'
import { isSourceNamed, messageField, timeField } from './validate'

/** `{}` and `[{}]` */
const NO_MEMBERS: usize = memory.data<u8>([0x7b, 0x7d])
const NO_OBJECTS: usize = memory.data<u8>([0x5b, 0x7b, 0x7d, 0x5d])

/** Writes the metadata of the line in `row` as text `at` of the column, `{}` if it has none. */
export function putMetadata(column: Column, at: i32, row: usize): void {
  if (hasOthers(row)) return putMerged(column, at, row)
  if (kindOf(row, METADATA_FIELD) == ABSENT) putBytes(column, at, NO_MEMBERS, NO_MEMBERS + 2)
  else putBytes(column, at, startOf(row, METADATA_FIELD), endOf(row, METADATA_FIELD))
}

function hasOthers(row: usize): bool {
  const end = keysEnd(row)
  for (let entry = keysStart(row); entry < end; entry += ENTRY_BYTES) if (isOther(row, roleOf(entry))) return true
  return false
}

/** Returns whether a key with this role is another field. A source, time or message that is null counts as absent. */
// @ts-ignore: decorator
@inline
function isOther(row: usize, role: i32): bool {
  if (role < 0) return role == OTHER
  if (<u32>role == timeField || <u32>role == messageField || kindOf(row, role) == ABSENT) return false
  return role != SOURCE || !isSourceNamed
}

/** Merges the other fields into the metadata, or into `{}` or `[{}]` if it has no object. */
function putMerged(column: Column, at: i32, row: usize): void {
  const kind = kindOf(row, METADATA_FIELD)
  const isEmptyArray = kind != ABSENT && membersEnd(row) == BYTES
  if (kind == ABSENT) putWith(column, at, row, NO_MEMBERS, NO_MEMBERS + 1, NO_MEMBERS + 2)
  else if (isEmptyArray) putWith(column, at, row, NO_OBJECTS, NO_OBJECTS + 2, NO_OBJECTS + 4)
  else putWith(column, at, row, startOf(row, METADATA_FIELD), membersEnd(row), endOf(row, METADATA_FIELD))
}

/** Writes the JSON text [start, end) to a row, with the other fields inserted at `inside`. */
function putWith(column: Column, at: i32, row: usize, start: usize, inside: usize, end: usize): void {
  let needsComma = addOwnNames(row)
  selectOthers(row)
  let to = append(textAt(column, at), start, inside)
  const last = keysEnd(row)
  for (let entry = keysStart(row); entry < last; entry += ENTRY_BYTES) {
    const valueEnd = valueEndOf(entry)
    if (valueEnd == 0) continue
    if (needsComma) store<u8>(to++, COMMA)
    needsComma = true
    to = append(to, keyOf(entry) - 1, valueEnd)
  }
  endText(column, at, append(to, inside, end))
}

function append(to: usize, start: usize, end: usize): usize {
  copyBytes(to, start, end)
  return to + end - start
}

/** Adds the names of the members of the metadata. Returns whether it has any. */
function addOwnNames(row: usize): bool {
  const start = keysStart(row)
  const end = keysEnd(row)
  clearMemberNames(<u32>((end - start) / ENTRY_BYTES))
  let hasOwn = false
  for (let entry = start; entry < end; entry += ENTRY_BYTES) {
    if (roleOf(entry) != OWN) continue
    addIfNew(entry)
    hasOwn = true
  }
  return hasOwn
}

/**
 * Overwrites the role of each key with the address where its value ends if it is another field to be merged, else with
 * 0. Iterates backwards, since the last of equal keys is kept and a value ends before the next key.
 */
function selectOthers(row: usize): void {
  const start = keysStart(row)
  let after = endOfValueBefore(lineEnd(row), CLOSE_OBJECT)
  for (let entry = keysEnd(row) - ENTRY_BYTES; entry >= start; entry -= ENTRY_BYTES) {
    const role = roleOf(entry)
    const joins = role != OWN && isOther(row, role) && addIfNew(entry)
    setValueEnd(entry, joins ? after : 0)
    if (role != OWN) after = endOfValueBefore(keyOf(entry) - 1, COMMA)
  }
}

/** Returns the address after the value before `p`, which this byte and white space separate from `p`. */
function endOfValueBefore(p: usize, byte: u32): usize {
  p = endBefore(p)
  return byteAt(p - 1) == byte ? endBefore(p - 1) : p
}

/** Returns the address after the last byte before `p` that is not white space. */
function endBefore(p: usize): usize {
  while (byteAt(p - 1) <= SPACE) p--
  return p
}

function keyOf(entry: usize): usize {
  return load<i32>(entry)
}

function roleOf(entry: usize): i32 {
  return load<i32>(entry, 8)
}

function setValueEnd(entry: usize, end: usize): void {
  store<i32>(entry, <i32>end, 8)
}

function valueEndOf(entry: usize): usize {
  return load<i32>(entry, 8)
}
