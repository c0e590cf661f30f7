/** Texts of fields, decoded: located for inspection, or appended to columns of texts. */
import { ESCAPED_STRING, STRING } from '../../src/wasm-layout/field-table'
import { copyBytes } from '../base/copy'
import { unescape } from '../fields/unescape'
import { endOf, kindOf, startOf } from '../scan/table'
import { Column } from './columns'
import { maxTextBytes, reserveText } from './regions'

/** Scratch memory for a located text with escapes. */
let scratch: usize = 0

/** The text that `locateText` found. */
export let textStart: usize = 0
export let textEnd: usize = 0

/** The project of lines without one, if `hasDefaultProject`. */
export let defaultProject: usize = 0
export let defaultProjectEnd: usize = 0
export let hasDefaultProject: bool = false

/** Reserves the memory of located texts and of the default project. */
export function reserveScratch(): void {
  scratch = reserveText()
  defaultProject = reserveText()
}

/** Sets the default project to the `length` bytes at `start`; removes it if `length` is negative. */
export function setDefaultProject(start: usize, length: i32): void {
  if (length > <i32>maxTextBytes) unreachable()
  hasDefaultProject = length >= 0
  defaultProjectEnd = defaultProject + max(length, 0)
  memory.copy(defaultProject, start, max(length, 0))
}

/** Locates the text of a text field. Returns false if it has a lone surrogate, which is replaced by U+FFFD. */
export function locateText(row: usize, field: u32): bool {
  if (kindOf(row, field) == STRING) {
    textStart = startOf(row, field)
    textEnd = endOf(row, field)
    return true
  }
  const after = unescape(startOf(row, field), endOf(row, field), scratch)
  textStart = scratch
  textEnd = after < 0 ? ~after : after
  return after >= 0
}

/** Locates the default project; call it only if there is one. */
export function locateDefaultProject(): void {
  textStart = defaultProject
  textEnd = defaultProjectEnd
}

/** Returns the bytes of the first `rows` texts of a column. */
// @ts-ignore: decorator
@inline
export function textBytes(column: Column, rows: i32): i32 {
  return load<i32>(column.offsets + 4 * rows)
}

/** Returns the address where the text of this row starts, which is the end of the previous one. */
// @ts-ignore: decorator
@inline
export function textAt(column: Column, row: i32): usize {
  return column.texts + load<i32>(column.offsets + 4 * row)
}

/** Sets the end of the text of this row. */
// @ts-ignore: decorator
@inline
export function endText(column: Column, row: i32, end: usize): void {
  store<i32>(column.offsets + 4 * row, <i32>(end - column.texts), 4)
}

/** Writes the bytes [start, end) as the text of a row. */
export function putBytes(column: Column, row: i32, start: usize, end: usize): void {
  const to = textAt(column, row)
  copyBytes(to, start, end)
  endText(column, row, to + end - start)
}

/**
 * Writes the text of a field to a row, empty if the field is absent. Returns false if it has a lone surrogate, as
 * `locateText` does.
 */
export function putText(column: Column, row: i32, line: usize, field: u32): bool {
  const start = startOf(line, field)
  const end = endOf(line, field)
  if (kindOf(line, field) != ESCAPED_STRING) {
    putBytes(column, row, start, end)
    return true
  }
  const after = unescape(start, end, textAt(column, row))
  endText(column, row, after < 0 ? ~after : after)
  return after >= 0
}
