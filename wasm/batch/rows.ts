/** Writes the fields of a line into the columns of its builder, as the row after the current batch. */
import {
  AREAS,
  CATEGORY,
  EVENT_MESSAGES,
  HOT,
  IDS,
  IN_METADATA,
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
import { isLongInteger, readNumber } from '../fields/numbers'
import { fieldCount, firstField } from '../scan/paths'
import { endOf, isText, kindOf, startOf } from '../scan/table'
import { pathTargetOf, shadowing } from '../scan/time-and-message'
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
import { messageField, timeField } from './validate'

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
  let inMetadata = bitsOfShadowed(builder, row)
  for (let i = HOT; i < builder.columns; i++) {
    if (!putHot(columnAt(builder, i), at, row)) inMetadata |= 1 << (i - HOT)
  }
  store<u32>(columnAt(builder, IN_METADATA).values + 4 * at, inMetadata)
  putMetadata(columnAt(builder, METADATA), at, row)
  endRow(builder)
}

/** Writes the project; a line without one gets the default project, if there is one. */
function putProject(column: Column, at: i32, row: usize, project: u32): void {
  if (isText(row, project) || !hasDefaultProject) {
    putCode(column, at, row, project)
    return
  }
  store<i32>(column.values + 4 * at, codeOf(column, defaultProject, defaultProjectEnd))
  markPresent(column, at)
}

/** Writes the value of a hot column. Returns false if the column cannot hold it: it must be read from the metadata. */
function putHot(column: Column, at: i32, row: usize): bool {
  switch (column.kind) {
    case CATEGORY:
      return putCode(column, at, row, column.field)
    case TEXT:
      return putHotText(column, at, row)
    case NUMBER:
      return putNumber(column, at, row)
    default:
      // No field is read from areas.
      store<u8>(column.values + at, areasOf(row, column.field))
      return true
  }
}

/** Writes the code of a field's text; -1 (null) if the field is not a text. Returns false if it is another value. */
function putCode(column: Column, at: i32, row: usize, field: u32): bool {
  let code = -1
  if (isText(row, field)) {
    locateText(row, field)
    code = codeOf(column, textStart, textEnd)
    markPresent(column, at)
  } else markNull(column, at)
  store<i32>(column.values + 4 * at, code)
  return code >= 0 || kindOf(row, field) == ABSENT
}

function putHotText(column: Column, at: i32, row: usize): bool {
  if (isText(row, column.field)) {
    putText(column, at, row, column.field)
    markPresent(column, at)
    return true
  }
  endText(column, at, textAt(column, at))
  markNull(column, at)
  return kindOf(row, column.field) == ABSENT
}

/**
 * Writes a number; NaN (null) if the field is not a finite number. Returns false if it is another value, or an integer
 * that a double may not hold exactly.
 */
function putNumber(column: Column, at: i32, row: usize): bool {
  const kind = kindOf(row, column.field)
  const start = startOf(row, column.field)
  const end = endOf(row, column.field)
  const value = kind == values.NUMBER ? readNumber(start, end) : NaN
  if (isNaN(value)) markNull(column, at)
  else markPresent(column, at)
  store<f64>(column.values + 8 * at, value)
  return kind == values.NUMBER ? !isLongInteger(start, end) : kind == ABSENT
}

/**
 * Returns the bits of the hot columns with a field under a name of times or messages, if the record uses the name for
 * another value: the scanner does not look for fields there, but the value may have been merged into the metadata.
 */
function bitsOfShadowed(builder: BatchBuilder, row: usize): u32 {
  let bits: u32 = 0
  for (let names = shadowing; names != 0; names &= names - 1) {
    const field = values.TIMES + ctz(names)
    if (kindOf(row, field) == ABSENT || field == timeField || field == messageField) continue
    const target = pathTargetOf(field)
    const first = firstField(target)
    const count = fieldCount(target)
    for (let i = HOT; i < builder.columns; i++) {
      if (columnAt(builder, i).field - first < count) bits |= 1 << (i - HOT)
    }
  }
  return bits
}

function areasOf(row: usize, field: u32): u32 {
  if (!isText(row, field)) return 0
  locateText(row, field)
  return areasIn(textStart, textEnd)
}
