/** Writes the fields of a line into the columns of its builder, as the row after the current batch. */
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
import * as values from '../../src/wasm-layout/field-table'
import { putUuid } from '../base/host'
import { areasIn } from '../fields/areas'
import { readNumber } from '../fields/numbers'
import { endOf, isText, kindOf, startOf } from '../scan/table'
import { BatchBuilder, columnAt, endRow } from './batch-builder'
import { Column } from './columns'
import { codeOf } from './dictionary'
import { markNull, markPresent } from './nulls'
import { putMetadata } from './other-fields'
import { UUID_BYTES } from './regions'
import {
  defaultProject,
  defaultProjectEnd,
  endText,
  hasDefaultProject,
  locateText,
  putText,
  textAt,
  textEnd,
  textStart,
} from './texts'
import { messageField } from './validate'

/** Writes the texts that must not have lone surrogates. Returns false if one has: the line is then refused. */
export function putTexts(row: usize, builder: BatchBuilder, project: u32): bool {
  if (kindOf(row, ID) == ABSENT) putNewId(columnAt(builder, IDS), builder.rows)
  else if (!putText(columnAt(builder, IDS), builder.rows, row, ID)) return false
  if (!putText(columnAt(builder, EVENT_MESSAGES), builder.rows, row, messageField)) return false
  return !isText(row, project) || locateText(row, project)
}

function putNewId(column: Column, at: i32): void {
  const start = textAt(column, at)
  putUuid(start)
  endText(column, at, start + UUID_BYTES)
}

/** Writes the other columns, which cannot fail, and counts the row. */
export function putRest(row: usize, builder: BatchBuilder, project: u32, timestampUs: f64): void {
  const at = builder.rows
  store<i64>(columnAt(builder, TIMESTAMPS).values + 8 * at, <i64>timestampUs)
  putProject(columnAt(builder, PROJECTS), at, row, project)
  for (let i = HOT; i < builder.columns; i++) putHot(columnAt(builder, i), at, row)
  putMetadata(columnAt(builder, METADATA), at, row)
  endRow(builder)
}

/** Writes the project; a line without one gets the default project, if there is one. */
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

/** Writes the code of a field's text; -1 (null) if the field is not a text. */
function putCode(column: Column, at: i32, row: usize, field: u32): void {
  let code = -1
  if (isText(row, field)) {
    locateText(row, field)
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

/** Writes a number; NaN (null) if the field is not a finite number. */
function putNumber(column: Column, at: i32, row: usize): void {
  const isNumber = kindOf(row, column.field) == values.NUMBER
  const value = isNumber ? readNumber(startOf(row, column.field), endOf(row, column.field)) : NaN
  if (isNaN(value)) markNull(column, at)
  else markPresent(column, at)
  store<f64>(column.values + 8 * at, value)
}

function areasOf(row: usize, field: u32): u32 {
  if (!isText(row, field)) return 0
  locateText(row, field)
  return areasIn(textStart, textEnd)
}
