import { type Data, type RecordBatch, RecordBatchReader } from 'apache-arrow'
import { ALL_IN_METADATA, COLD_COLUMNS, type HotColumn, hotColumns, IN_METADATA } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import type { TimeRange } from '../../../plan/plan.js'
import type { IngestBatch } from '../../engine.js'
import { columnNameOf, type TableColumn, tableColumns, typeOfHot } from '../schema/table-names.js'

/** The ids of a block's rows, which are the last columns of a table: `arrived`, `batch`, `row`. */
export interface RowIds {
  /** Microseconds since the epoch. */
  arrivedUs: number
  batch: bigint
  /** The number of the block's first row among all rows of the group. */
  firstRow: number
}

/** Whether a row is written to a block, by the row's number in the group. */
type Keep = (row: number) => boolean

/**
 * A block of ClickHouse's Native format with all columns of the source. A block can be sent without some of the
 * columns.
 */
export interface NativeBlock {
  source: SourceName
  rows: number
  bytes: Uint8Array
  /** The bytes of each column, in order: name, type and values. */
  columns: ReadonlyMap<string, Uint8Array>
}

/**
 * Converts a batch to a block of ClickHouse's Native format: number of columns, number of rows, then for each column
 * the name, the type and the values. A text is a length and bytes. A nullable column starts with a byte per row.
 * Columns that the batch lacks are null. Throws a TypeError if the batch does not match the source or the row count.
 */
export function toNative(batch: IngestBatch, ids: RowIds, keep?: Keep): NativeBlock {
  const { source } = batch
  const dataOf = decode(batch)
  const all = Uint32Array.from({ length: batch.rows }, (_, i) => i)
  const rows = keep === undefined ? all : all.filter((row) => keep(ids.firstRow + row))
  const out = createBlockWriter(batch.ipc.length + ROW_BYTES * rows.length)
  const columns = tableColumns(source)
  const writers = columnWriters(source, dataOf, ids)
  out.varint(columns.length)
  out.varint(rows.length)
  const places = columns.map(({ name, type }) => {
    const start = out.bytes().length
    out.text(name)
    out.text(type)
    writers.get(name)!(out, rows)
    return { name, start, end: out.bytes().length }
  })
  const bytes = out.bytes()
  const parts = places.map(({ name, start, end }) => [name, bytes.subarray(start, end)] as const)
  return { source, rows: rows.length, bytes, columns: new Map(parts) }
}

/**
 * Returns the bytes of a block with these columns of the source, in order. Sets the bits of hot columns that are left
 * out in each row: the row's metadata decides if the table gets the columns later.
 */
export function bytesOfBlock(block: NativeBlock, columns: readonly TableColumn[]): Uint8Array {
  if (columns.length === block.columns.size) return block.bytes
  const names = new Set(columns.map(({ name }) => name))
  const leftOut = bitsOf(block.source, (column) => !names.has(columnNameOf(column)))
  const start = createBlockWriter(ROW_BYTES)
  start.varint(columns.length)
  start.varint(block.rows)
  const parts = columns.map(({ name }) => {
    const bytes = block.columns.get(name)!
    return name === IN_METADATA ? withBits(bytes, block.rows, leftOut) : bytes
  })
  return Buffer.concat([start.bytes(), ...parts])
}

/** Returns the bytes of the column `in_metadata` with some bits set in each row. */
function withBits(column: Uint8Array, rows: number, bits: number): Uint8Array {
  const bytes = Buffer.from(column)
  for (let at = bytes.length - 4 * rows; at < bytes.length; at += 4) {
    bytes.writeUInt32LE((bytes.readUInt32LE(at) | bits) >>> 0, at)
  }
  return bytes
}

/** Returns the least and greatest timestamp of a batch, in µs since the epoch. Throws as {@link toNative} does. */
export function timesOf(batch: IngestBatch): TimeRange {
  const range = { fromUs: Number.POSITIVE_INFINITY, throughUs: Number.NEGATIVE_INFINITY }
  for (const timestamp of decode(batch).get('timestamp')!.values as BigInt64Array) {
    range.fromUs = Math.min(range.fromUs, Number(timestamp))
    range.throughUs = Math.max(range.throughUs, Number(timestamp))
  }
  return range
}

/** Decodes the columns of a batch, by name. */
function decode(batch: IngestBatch): Map<string, Data> {
  const [decoded] = [...RecordBatchReader.from(batch.ipc)] as RecordBatch[]
  if (decoded === undefined || decoded.numRows !== batch.rows) {
    throw new TypeError(`A batch of ${batch.source} must be one record batch of ${batch.rows} rows.`)
  }
  return new Map(decoded.schema.fields.map(({ name }, i) => [name as string, decoded.data.children[i]]))
}

type ColumnWriter = (out: BlockWriter, rows: Uint32Array) => void

function columnWriters(
  source: SourceName,
  dataOf: ReadonlyMap<string, Data>,
  { arrivedUs, batch, firstRow }: RowIds,
): Map<string, ColumnWriter> {
  const dataNamed = (name: string) => {
    const data = dataOf.get(name)
    if (data === undefined) throw new TypeError(`A batch of ${source} must have the column ${name}.`)
    return data
  }
  const hot = hotColumns(source).map((column): [string, ColumnWriter] => {
    const name = columnNameOf(column)
    const isAbsent = (column.isLater || column.isFieldOnly) && !dataOf.has(column.name)
    if (isAbsent) return [name, column.kind === 'number' ? absentNumbers : absentTexts]
    const data = dataNamed(column.name)
    const write = writerOf(column.kind, data)
    return [name, typeOfHot(column).startsWith('Nullable') ? nullable(data, write) : write]
  })
  return new Map<string, ColumnWriter>([
    ['timestamp', fixed(dataNamed('timestamp').values as BigInt64Array)],
    ['project', coded(dataNamed('project'))],
    ...hot,
    [IN_METADATA, (out, rows) => out.fixed(bitSets(source, dataOf, rows))],
    ...COLD_COLUMNS.map((name): [string, ColumnWriter] => [name, texts(dataNamed(name))]),
    ['arrived', (out, rows) => out.fixed(new BigInt64Array(rows.length).fill(BigInt(arrivedUs)))],
    ['batch', (out, rows) => out.fixed(new BigUint64Array(rows.length).fill(batch))],
    ['row', (out, rows) => out.fixed(rows.map((row) => firstRow + row))],
  ])
}

function writerOf(kind: HotColumn['kind'], data: Data): ColumnWriter {
  if (kind === 'category') return coded(data)
  if (kind === 'text') return texts(data)
  return fixed(data.values as Uint8Array | Float64Array)
}

/** Returns the bits of some hot columns, and of columns that only later versions know. */
function bitsOf(source: SourceName, isSet: (column: HotColumn) => boolean): number {
  const hot = hotColumns(source)
  const unknown = ALL_IN_METADATA - (2 ** hot.length - 1)
  return hot.reduce((bits, column, i) => (isSet(column) ? bits + 2 ** i : bits), unknown)
}

/**
 * Returns the values of `in_metadata`: the values of the batch, with the bits of columns that the batch lacks, and the
 * bit of a plan's category that is present and empty, since the table stores an empty category as absent.
 */
function bitSets(source: SourceName, dataOf: ReadonlyMap<string, Data>, rows: Uint32Array): Uint32Array {
  const stored = dataOf.get(IN_METADATA)?.values as Uint32Array | undefined
  const missing = stored === undefined ? ALL_IN_METADATA : bitsOf(source, ({ name }) => !dataOf.has(name))
  const bits = rows.map((row) => (stored?.[row] ?? 0) | missing)
  for (const [i, { name, kind, isFieldOnly }] of hotColumns(source).entries()) {
    const data = dataOf.get(name)
    if (kind !== 'category' || isFieldOnly || data === undefined) continue
    const length = codedLengths(data)
    for (let k = 0; k < rows.length; k++) if (length(rows[k]) === 0) bits[k] |= 1 << i
  }
  return bits
}

type FixedWidth = Uint8Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array

function fixed(values: Exclude<FixedWidth, Uint32Array | BigUint64Array>): ColumnWriter {
  return (out, rows) => {
    const picked = new (values.constructor as new (length: number) => typeof values)(rows.length)
    for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i]]
    out.fixed(picked)
  }
}

function texts(data: Data): ColumnWriter {
  const [offsets, values] = [data.valueOffsets as Int32Array, data.values as Uint8Array]
  return (out, rows) => {
    for (const row of rows) {
      if (isNull(data, row)) out.varint(0)
      else out.bytesOf(values, offsets[row], offsets[row + 1])
    }
  }
}

/** Writes the texts of dictionary codes. Null is written as the empty text. */
function coded(data: Data): ColumnWriter {
  const { codes, offsets, values } = decodeCodes(data)
  return (out, rows) => {
    for (const row of rows) {
      if (isNull(data, row)) out.varint(0)
      else out.bytesOf(values, offsets[codes[row]], offsets[codes[row] + 1])
    }
  }
}

/** Returns a function that returns the bytes of a row's text, or undefined if the text is null. */
function codedLengths(data: Data): (row: number) => number | undefined {
  const { codes, offsets } = decodeCodes(data)
  return (row) => (isNull(data, row) ? undefined : offsets[codes[row] + 1] - offsets[codes[row]])
}

function decodeCodes({ values: codes, dictionary }: Data) {
  const entries = dictionary?.data[0]
  const [offsets, values] = [entries?.valueOffsets as Int32Array, entries?.values as Uint8Array]
  return { codes: codes as Int32Array, offsets, values }
}

function nullable(data: Data, write: ColumnWriter): ColumnWriter {
  return (out, rows) => {
    out.fixed(Uint8Array.from(rows, (row) => (isNull(data, row) ? 1 : 0)))
    write(out, rows)
  }
}

const absentNumbers: ColumnWriter = (out, rows) => {
  out.fixed(new Uint8Array(rows.length).fill(1))
  out.fixed(new Float64Array(rows.length))
}

const absentTexts: ColumnWriter = (out, rows) => {
  out.fixed(new Uint8Array(rows.length).fill(1))
  out.fixed(new Uint8Array(rows.length))
}

function isNull({ nullCount, nullBitmap }: Data, row: number): boolean {
  return nullCount > 0 && (nullBitmap[row >> 3] & (1 << (row & 7))) === 0
}

/** Approximate bytes of a row in a block in addition to the bytes in Arrow. */
const ROW_BYTES = 64

/** Writes the parts of a block to a buffer that grows. */
interface BlockWriter {
  /** Writes a variable-length integer: seven bits per byte, lowest first. */
  varint(value: number): void
  text(value: string): void
  /** Writes the text `values[start .. end)`: the length and the bytes. */
  bytesOf(values: Uint8Array, start: number, end: number): void
  /** Writes the memory of numbers unchanged. */
  fixed(values: FixedWidth): void
  /** Returns the bytes written so far, as a view. */
  bytes(): Uint8Array
}

function createBlockWriter(initialBytes: number): BlockWriter {
  let bytes = Buffer.allocUnsafe(initialBytes)
  let used = 0

  function reserve(more: number): void {
    if (used + more <= bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(used + more, 2 * bytes.length))
    bytes.copy(grown, 0, 0, used)
    bytes = grown
  }

  const out: BlockWriter = {
    varint(value) {
      reserve(5)
      let rest = value
      for (; rest > 0x7f; rest >>>= 7) bytes[used++] = (rest & 0x7f) | 0x80
      bytes[used++] = rest
    },
    text(value) {
      const encoded = Buffer.from(value)
      out.bytesOf(encoded, 0, encoded.length)
    },
    bytesOf(values, start, end) {
      const count = end - start
      reserve(5 + count)
      out.varint(count)
      bytes.set(values.subarray(start, end), used)
      used += count
    },
    fixed(values) {
      reserve(values.byteLength)
      bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), used)
      used += values.byteLength
    },
    bytes: () => bytes.subarray(0, used),
  }
  return out
}
