/** The texts of fields, decoded: looked at where they lie, or put into columns of texts. */
import { ESCAPED_STRING, STRING } from '../../src/wasm-layout/field-table'
import { copyBytes } from '../base/copy'
import { unescape } from '../fields/unescape'
import { endOf, kindOf, startOf } from '../scan/table'
import { Column } from './columns'
import { longestText, reserveText } from './regions'

/** Where a text that has escapes is decoded to be looked at. */
let scratch: usize = 0

/** The text that `locate` found last. */
export let textStart: usize = 0
export let textEnd: usize = 0

/** The project of lines that name none, where there is such. */
export let defaultProject: usize = 0
export let defaultProjectEnd: usize = 0
export let hasDefaultProject: bool = false

export function reserveScratch(): void {
  scratch = reserveText()
  defaultProject = reserveText()
}

/** Sets the project of lines that name none to the `length` bytes at `start`; to none where that is negative. */
export function setDefaultProject(start: usize, length: i32): void {
  if (length > <i32>longestText) unreachable()
  hasDefaultProject = length >= 0
  defaultProjectEnd = defaultProject + max(length, 0)
  memory.copy(defaultProject, start, max(length, 0))
}

/** Finds the text of a text field. False if it has a lone surrogate, in whose place it then has U+FFFD. */
export function locate(row: usize, field: u32): bool {
  if (kindOf(row, field) == STRING) {
    textStart = startOf(row, field)
    textEnd = endOf(row, field)
    return true
  }
  const behind = unescape(startOf(row, field), endOf(row, field), scratch)
  textStart = scratch
  textEnd = behind < 0 ? ~behind : behind
  return behind >= 0
}

/** Finds the project of lines that name none, where there is such. */
export function locateDefaultProject(): void {
  textStart = defaultProject
  textEnd = defaultProjectEnd
}

/** Bytes of the first `rows` texts of a column. */
// @ts-ignore: decorator
@inline
export function textBytes(column: Column, rows: i32): i32 {
  return load<i32>(column.offsets + 4 * rows)
}

/** Where the text of this row begins: behind that of the row before. */
// @ts-ignore: decorator
@inline
export function textAt(column: Column, row: i32): usize {
  return column.texts + load<i32>(column.offsets + 4 * row)
}

/** Notes that the text of this row ends at `end`. */
// @ts-ignore: decorator
@inline
export function endText(column: Column, row: i32, end: usize): void {
  store<i32>(column.offsets + 4 * row, <i32>(end - column.texts), 4)
}

/** Puts the bytes [start, end) into a row. */
export function putBytes(column: Column, row: i32, start: usize, end: usize): void {
  const to = textAt(column, row)
  copyBytes(to, start, end)
  endText(column, row, to + end - start)
}

/** Puts a field's text into a row, an empty one if it is absent. False if it has a lone surrogate, as in `locate`. */
export function putText(column: Column, row: i32, line: usize, field: u32): bool {
  const start = startOf(line, field)
  const end = endOf(line, field)
  if (kindOf(line, field) != ESCAPED_STRING) {
    putBytes(column, row, start, end)
    return true
  }
  const behind = unescape(start, end, textAt(column, row))
  endText(column, row, behind < 0 ? ~behind : behind)
  return behind >= 0
}
