import { type Data, type RecordBatch, RecordBatchReader } from 'apache-arrow'
import type { TimeRange } from '../../plan/plan.js'
import type { SourceName } from '../../sources.js'
import { COLD_COLUMNS, planColumns } from '../columns.js'
import type { IngestBatch } from '../engine.js'
import { tableColumns, typeOfHot } from './table-names.js'

/** The ids of a block's rows, which are the last columns of a table: `arrived`, `batch`, `row`. */
export interface RowIds {
  /** Microseconds since the epoch. */
  arrivedUs: number
  batch: bigint
  /** The number of the block's first row among all rows of its group. */
  firstRow: number
}

/** Whether a row is written to a block, by its number in the group. */
type Keep = (row: number) => boolean

/**
 * Converts a batch to one block of ClickHouse's Native format, and returns its number of rows. A block is:
 * number of columns, number of rows, then for each column its name, type and values. A text is its length and
 * its bytes; a nullable column starts with one byte per row. Throws a TypeError if the batch does not match
 * its source or its row count.
 */
export function toNative(batch: IngestBatch, ids: RowIds, keep?: Keep): { block: Uint8Array; rows: number } {
  const dataOf = decode(batch)
  const places = Uint32Array.from({ length: batch.rows }, (_, i) => i)
  const rows = keep === undefined ? places : places.filter((row) => keep(ids.firstRow + row))
  const out = createBlockWriter(batch.ipc.length + ROW_BYTES * rows.length)
  const columns = tableColumns(batch.source)
  out.varint(columns.length)
  out.varint(rows.length)
  const writers = columnWriters(batch.source, dataOf, ids)
  for (const { name, type } of columns) {
    out.text(name)
    out.text(type)
    writers.get(name)!(out, rows)
  }
  return { block: out.bytes(), rows: rows.length }
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
  return new Map(decoded.schema.fields.map(({ name }, i) => [name as string, decoded.data.children[i]!]))
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
  const hot = planColumns(source).map((column): [string, ColumnWriter] => {
    if (column.isLater && !dataOf.has(column.name)) return [column.name, absentNumbers]
    const data = dataNamed(column.name)
    const isNullable = typeOfHot(column).startsWith('Nullable')
    if (column.kind === 'category') return [column.name, coded(data)]
    if (column.kind === 'areas') return [column.name, fixed(data.values as Uint8Array)]
    const write = column.kind === 'text' ? texts(data) : fixed(data.values as Float64Array)
    return [column.name, isNullable ? nullable(data, write) : write]
  })
  return new Map<string, ColumnWriter>([
    ['timestamp', fixed(dataNamed('timestamp').values as BigInt64Array)],
    ['project', coded(dataNamed('project'))],
    ...hot,
    ...COLD_COLUMNS.map((name): [string, ColumnWriter] => [name, texts(dataNamed(name))]),
    ['arrived', (out, rows) => out.fixed(new BigInt64Array(rows.length).fill(BigInt(arrivedUs)))],
    ['batch', (out, rows) => out.fixed(new BigUint64Array(rows.length).fill(batch))],
    ['row', (out, rows) => out.fixed(rows.map((row) => firstRow + row))],
  ])
}

type FixedWidth = Uint8Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array

function fixed(values: Exclude<FixedWidth, Uint32Array | BigUint64Array>): ColumnWriter {
  return (out, rows) => {
    const picked = new (values.constructor as new (length: number) => typeof values)(rows.length)
    for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i]!]!
    out.fixed(picked)
  }
}

function texts(data: Data): ColumnWriter {
  const [offsets, values] = [data.valueOffsets as Int32Array, data.values as Uint8Array]
  return (out, rows) => {
    for (const row of rows) {
      if (isNull(data, row)) out.varint(0)
      else out.bytesOf(values, offsets[row]!, offsets[row + 1]!)
    }
  }
}

/** Writes the texts of dictionary codes; null is written as the empty text. */
function coded(data: Data): ColumnWriter {
  const codes = data.values as Int32Array
  const entries = data.dictionary?.data[0]
  const [offsets, values] = [entries?.valueOffsets as Int32Array, entries?.values as Uint8Array]
  return (out, rows) => {
    for (const row of rows) {
      if (isNull(data, row)) out.varint(0)
      else out.bytesOf(values, offsets[codes[row]!]!, offsets[codes[row]! + 1]!)
    }
  }
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

function isNull({ nullCount, nullBitmap }: Data, row: number): boolean {
  return nullCount > 0 && (nullBitmap[row >> 3]! & (1 << (row & 7))) === 0
}

/** Approximate bytes of a row in a block in addition to its bytes in Arrow. */
const ROW_BYTES = 64

/** Writes the parts of a block to a buffer that grows. */
interface BlockWriter {
  /** Writes a variable-length integer: seven bits per byte, lowest first. */
  varint(value: number): void
  text(value: string): void
  /** Writes the text `values[start .. end)`: its length and its bytes. */
  bytesOf(values: Uint8Array, start: number, end: number): void
  /** Writes numbers as they are in memory. */
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
