/**
 * Batch builders: one per source, with the columns of its batch and the fields that fill them. The host adds them once.
 */
import { BITS, BUILDER_BYTES, CATEGORY, COLUMN_BYTES, TEXT, TIMESTAMP } from '../../src/wasm-layout/batch'
import { PROJECT } from '../../src/wasm-layout/field-table'
import { Column, initColumn } from './columns'
import { clearDictionary } from './dictionary'
import { batchBytes, batchRows } from './regions'
import { textBytes } from './texts'

/** Header of a batch builder, BUILDER_BYTES long; the headers of its columns follow. */
@unmanaged
export class BatchBuilder {
  /** Rows of the current batch. */
  rows: i32
  /** Bytes of text in the current batch, dictionaries included. */
  textBytes: i32
  columns: i32
  /** Rows of the current batch that have the time of receipt because theirs could not be read. */
  unreadableTimes: i32
  number: i32
  /** Fields that can contain the project; the first that is a text is used. */
  firstProject: u32
  secondProject: u32
  thirdProject: u32
  /** A batch is full at this many rows, or bytes of text. */
  maxRows: i32
  maxTextBytes: i32
}

/** Upper limits; a host that adds more is stopped by a trap. */
const MAX_COLUMNS: i32 = 24
const MAX_BUILDERS: i32 = 256
const BUILDER_STRIDE: i32 = BUILDER_BYTES + MAX_COLUMNS * COLUMN_BYTES
const BUILDERS: usize = memory.data(BUILDER_STRIDE * MAX_BUILDERS, 16)

let builders: i32 = 0

/** Adds a builder and returns it; indexes count from 0 in the order of the calls. */
export function addBuilder(firstProject: u32, secondProject: u32, thirdProject: u32): BatchBuilder {
  if (builders == MAX_BUILDERS) unreachable()
  const builder = builderAt(builders)
  builder.number = builders++
  builder.firstProject = firstProject
  builder.secondProject = secondProject
  builder.thirdProject = thirdProject
  builder.maxRows = batchRows
  builder.maxTextBytes = batchBytes
  addColumn(builder, TIMESTAMP, 0)
  addColumn(builder, CATEGORY, PROJECT)
  for (let text = 0; text < 3; text++) addColumn(builder, TEXT, 0)
  addColumn(builder, BITS, 0)
  return builder
}

/** Adds a hot column of this kind, filled from the field. */
export function addColumn(builder: BatchBuilder, kind: i32, field: u32): void {
  if (builder.columns == MAX_COLUMNS) unreachable()
  initColumn(columnAt(builder, builder.columns++), kind, field)
}

/** Returns the builder with this index. */
// @ts-ignore: decorator
@inline
export function builderAt(number: i32): BatchBuilder {
  return changetype<BatchBuilder>(BUILDERS + number * BUILDER_STRIDE)
}

/** Returns the column of a builder by its number (src/wasm-layout/batch.ts). */
// @ts-ignore: decorator
@inline
export function columnAt(builder: BatchBuilder, number: i32): Column {
  return changetype<Column>(changetype<usize>(builder) + BUILDER_BYTES + number * COLUMN_BYTES)
}

/** Counts the row that has been written, and updates the bytes of text. */
export function endRow(builder: BatchBuilder): void {
  builder.rows++
  let bytes = 0
  for (let i = 0; i < builder.columns; i++) {
    const column = columnAt(builder, i)
    if (column.kind == TEXT) bytes += textBytes(column, builder.rows)
    else if (column.kind == CATEGORY) bytes += textBytes(column, column.entries)
  }
  builder.textBytes = bytes
}

/** Returns whether the batch has reached its limit of rows or of text. */
export function isFull(builder: BatchBuilder): bool {
  return builder.rows >= builder.maxRows || builder.textBytes >= builder.maxTextBytes
}

/** Empties the builder for its next batch. */
export function clearBuilder(builder: BatchBuilder): void {
  builder.rows = 0
  builder.textBytes = 0
  builder.unreadableTimes = 0
  for (let i = 0; i < builder.columns; i++) {
    const column = columnAt(builder, i)
    column.nulls = 0
    if (column.kind == CATEGORY) clearDictionary(column)
  }
}
