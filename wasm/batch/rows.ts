/** Writing a line's fields into the columns of its lane, behind the rows that count. */
import {
  AREAS,
  CATEGORY,
  EVENT_MESSAGES,
  HOT,
  IDS,
  METADATA,
  NUMBER,
  PROJECTS,
  TEXT,
  TIMESTAMPS,
} from '../../src/wasm-layout/batch'
import { ABSENT, ID } from '../../src/wasm-layout/field-table'
import { putUuid } from '../base/host'
import { areasIn } from '../fields/areas'
import { readNumber } from '../fields/numbers'
import { endOf, isText, kindOf, startOf } from '../scan/table'
import { Column } from './columns'
import { codeOf } from './dictionary'
import { messageField } from './judge'
import { columnAt, endRow, Lane } from './lanes'
import { markNull, markPresent } from './nulls'
import { putMetadata } from './other-fields'
import { UUID_BYTES } from './regions'
import {
  defaultProject,
  defaultProjectEnd,
  endText,
  hasDefaultProject,
  locate,
  putText,
  textAt,
  textEnd,
  textStart,
} from './texts'
import * as values from '../../src/wasm-layout/field-table'

/** The texts that a line is refused for if they have a lone surrogate: false if one has. */
export function putTexts(row: usize, lane: Lane, project: u32): bool {
  if (kindOf(row, ID) == ABSENT) putNewId(columnAt(lane, IDS), lane.rows)
  else if (!putText(columnAt(lane, IDS), lane.rows, row, ID)) return false
  if (!putText(columnAt(lane, EVENT_MESSAGES), lane.rows, row, messageField)) return false
  return !isText(row, project) || locate(row, project)
}

function putNewId(column: Column, at: i32): void {
  const start = textAt(column, at)
  putUuid(start)
  endText(column, at, start + UUID_BYTES)
}

/** Writes all else, which cannot fail, and makes the row count. */
export function putRest(row: usize, lane: Lane, project: u32, timestampUs: f64): void {
  const at = lane.rows
  store<i64>(columnAt(lane, TIMESTAMPS).values + 8 * at, <i64>timestampUs)
  putProject(columnAt(lane, PROJECTS), at, row, project)
  for (let i = HOT; i < lane.columns; i++) putHot(columnAt(lane, i), at, row)
  putMetadata(columnAt(lane, METADATA), at, row)
  endRow(lane)
}

/** A line without a project gets the default one, where there is one. */
function putProject(column: Column, at: i32, row: usize, project: u32): void {
  if (isText(row, project) || !hasDefaultProject) return putCode(column, at, row, project)
  store<i32>(column.values + 4 * at, codeOf(column, defaultProject, defaultProjectEnd))
  markPresent(column, at)
}

function putHot(column: Column, at: i32, row: usize): void {
  switch (column.kind) {
    case CATEGORY:
      return putCode(column, at, row, column.field)
    case TEXT:
      return putHotText(column, at, row)
    case NUMBER:
      return putNumber(column, at, row)
    case AREAS:
      store<u8>(column.values + at, areasOf(row, column.field))
  }
}

/** The code of a field's text; -1 is null, as is any field that is no text. */
function putCode(column: Column, at: i32, row: usize, field: u32): void {
  let code = -1
  if (isText(row, field)) {
    locate(row, field)
    code = codeOf(column, textStart, textEnd)
    markPresent(column, at)
  } else markNull(column, at)
  store<i32>(column.values + 4 * at, code)
}

function putHotText(column: Column, at: i32, row: usize): void {
  if (isText(row, column.field)) {
    putText(column, at, row, column.field)
    markPresent(column, at)
  } else {
    endText(column, at, textAt(column, at))
    markNull(column, at)
  }
}

/** NaN is null, as is any field that is no finite number. */
function putNumber(column: Column, at: i32, row: usize): void {
  const isNumber = kindOf(row, column.field) == values.NUMBER
  const value = isNumber ? readNumber(startOf(row, column.field), endOf(row, column.field)) : NaN
  if (isNaN(value)) markNull(column, at)
  else markPresent(column, at)
  store<f64>(column.values + 8 * at, value)
}

function areasOf(row: usize, field: u32): u32 {
  if (!isText(row, field)) return 0
  locate(row, field)
  return areasIn(textStart, textEnd)
}
