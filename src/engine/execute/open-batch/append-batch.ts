import { type ColumnView, readBatch } from '../../../arrow-ipc/read-batch.js'
import { arrayBuffersOf, free } from '../../../base/memory/array-buffers.js'
import { ensureCapacity } from '../../../base/memory/growable.js'
import type { Interner } from '../../../base/memory/interner.js'
import { MIB } from '../../../base/units.js'
import {
  ALL_IN_METADATA,
  batchSchema,
  COLD_COLUMNS,
  type HotColumn,
  hotColumns,
  IN_METADATA,
} from '../../../common/columns.js'
import type { IngestBatch } from '../../engine.js'
import { ABSENT } from '../columns/dictionary.js'
import { type OpenBatch, type OpenBatchColumn, unusedOf } from './open-batch.js'
import { adoptTexts, appendNulls, appendTexts, bytesOfTexts, eachNull } from './texts.js'

/** Cold texts of this size are adopted, if the batch can be held: smaller texts cost more to find than to copy. */
const ADOPTED_BYTES = MIB

/**
 * Decodes a batch. Returns a function that appends the batch to an open batch of its source, and returns whether the
 * open batch holds the batch. An open batch holds a large batch if `mayBeHeld`, and calls `release` after its last read
 * of the batch. Throws a TypeError if the batch is not a single record batch of its number of rows, or lacks columns.
 */
export function decodeBatch(batch: IngestBatch, mayBeHeld = false): (openBatch: OpenBatch) => boolean {
  const dataOf = readBatch(batch)
  if (dataOf === undefined) {
    throw new TypeError(`A batch of ${batch.source} must be one record batch of ${batch.rows} rows.`)
  }
  const later = new Set(hotColumns(batch.source).flatMap((column) => (mayBeMissing(column) ? [column.name] : [])))
  later.add(IN_METADATA)
  const names = batchSchema(batch.source).names as string[]
  const missing = names.filter((name) => !dataOf.has(name) && !later.has(name))
  if (missing.length > 0) throw new TypeError(`A batch of ${batch.source} must have the columns ${missing.join(', ')}.`)
  return (openBatch) => {
    const before = arrayBuffersOf(openBatch)
    const isLarge = bytesOfTexts(coldColumns(dataOf), batch.rows) >= ADOPTED_BYTES
    const isHeld = isLarge && mayBeHeld && batch.release !== undefined
    appendColumns(openBatch, dataOf, batch.rows, isHeld)
    if (isHeld) openBatch.batches.push({ bytes: batch.ipc.buffer.byteLength, release: batch.release! })
    if (openBatch.readers === 0) free(unusedOf(before, arrayBuffersOf(openBatch)))
    return isHeld
  }
}

const coldColumns = (dataOf: ReadonlyMap<string, ColumnView>) => COLD_COLUMNS.map((name) => dataOf.get(name)!)

/** Whether batches may lack the column: a batch may be older than the column. */
const mayBeMissing = ({ isLater, isFieldOnly }: HotColumn) => isLater ?? isFieldOnly ?? false

/**
 * Appends rows of columns by name. A missing hot column is in the metadata of these rows, or not read. Cold texts are
 * copied, or stay in their memory, which the open batch then holds.
 */
export function appendColumns(
  openBatch: OpenBatch,
  dataOf: ReadonlyMap<string, ColumnView>,
  rows: number,
  isHeld = false,
): void {
  appendTimes(openBatch, dataOf.get('timestamp')!, rows)
  for (const [name, column] of openBatch.columns) appendColumn(column, dataOf.get(name), openBatch.rows, rows)
  appendBitSets(openBatch, dataOf, rows)
  const append = isHeld ? adoptTexts : appendTexts
  append(openBatch.cold, openBatch.rows, rows, coldColumns(dataOf))
  for (let row = openBatch.rows; row < openBatch.rows + rows; row++) {
    const timestampUs = openBatch.timestampsUs[row]
    if (timestampUs < openBatch.minUs) openBatch.minUs = timestampUs
    if (timestampUs > openBatch.maxUs) openBatch.maxUs = timestampUs
  }
  openBatch.rows += rows
}

/** Arrow stores timestamps as 64-bit integers. All accepted timestamps fit a double without loss. */
function appendTimes(openBatch: OpenBatch, { values: words }: ColumnView, rows: number): void {
  openBatch.timestampsUs = ensureCapacity(openBatch.timestampsUs, openBatch.rows, openBatch.rows + rows)
  for (let i = 0; i < rows; i++) {
    openBatch.timestampsUs[openBatch.rows + i] = (words[2 * i + 1] | 0) * 2 ** 32 + words[2 * i]
  }
}

/** Sets the bits of columns that the batch does not have: the metadata of the rows decides. */
function appendBitSets(
  { source, inMetadata, rows: at }: OpenBatch,
  dataOf: ReadonlyMap<string, ColumnView>,
  rows: number,
) {
  const data = dataOf.get(IN_METADATA)
  inMetadata.rows = ensureCapacity(inMetadata.rows, at, at + rows)
  const added = inMetadata.rows.subarray(at, at + rows)
  if (data === undefined) added.fill(ALL_IN_METADATA)
  else added.set(data.values as Int32Array)
  let absent = 0
  for (const [i, { name }] of hotColumns(source).entries()) if (!dataOf.has(name)) absent |= 1 << i
  let mask = 0
  for (let i = 0; i < rows; i++) {
    added[i] |= absent
    mask |= added[i]
  }
  inMetadata.mask = (inMetadata.mask | mask) >>> 0
}

/** A column without data is filled with absent values: the batch was written before the source had that column. */
function appendColumn(column: OpenBatchColumn, data: ColumnView | undefined, at: number, rows: number): void {
  if (column.kind === 'number') {
    column.values = ensureCapacity(column.values, at, at + rows)
    if (data === undefined) column.values.fill(Number.NaN, at, at + rows)
    else appendNumbers(column.values, at, data, rows)
    return
  }
  if (data === undefined) {
    appendAbsent(column, at, rows)
  } else if (column.kind === 'areas') {
    column.flags = ensureCapacity(column.flags, at, at + rows)
    column.flags.set((data.values as Uint8Array).subarray(0, rows), at)
  } else if (column.kind === 'text') {
    appendTexts(column.texts, at, rows, [data])
  } else {
    column.codes = ensureCapacity(column.codes, at, at + rows)
    appendCodes(column.codes, at, data, rows, internAll(column.interner, data))
    eachNull(data, rows, (row) => {
      column.codes[at + row] = ABSENT
    })
  }
}

function appendAbsent(column: Exclude<OpenBatchColumn, { kind: 'number' }>, at: number, rows: number): void {
  if (column.kind === 'areas') throw new TypeError('Areas may not be added to a source.')
  if (column.kind === 'text') {
    appendNulls(column.texts, at, rows)
  } else {
    column.codes = ensureCapacity(column.codes, at, at + rows)
    column.codes.fill(ABSENT, at, at + rows)
  }
}

function appendNumbers(values: Float64Array, at: number, data: ColumnView, rows: number): void {
  values.set((data.values as Float64Array).subarray(0, rows), at)
  eachNull(data, rows, (row) => {
    values[at + row] = Number.NaN
  })
}

/** Maps the batch's codes to the open batch's: interns the dictionary of the batch. */
function internAll(interner: Interner, { dictionary }: ColumnView): Uint32Array {
  const codes = new Uint32Array(dictionary?.rows ?? 0)
  if (dictionary === undefined) return codes
  const { valueOffsets: offsets, values } = dictionary
  for (let i = 0; i < codes.length; i++) codes[i] = interner.intern(values as Uint8Array, offsets[i], offsets[i + 1])
  return codes
}

function appendCodes(codes: Uint32Array, at: number, data: ColumnView, rows: number, codeOf: Uint32Array): void {
  const batchCodes = data.values as Int32Array
  for (let i = 0; i < rows; i++) codes[at + i] = codeOf[batchCodes[i]]
}
