import {
  type Data,
  Dictionary,
  Float64,
  type Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  type TimestampMicrosecond,
  Uint8,
  Uint32,
  Utf8,
  Vector,
} from 'apache-arrow'
import { MIB } from '../../../base/units.js'
import { batchSchema, COLD_COLUMNS, hotColumns, IN_METADATA } from '../../../common/columns.js'
import type { IngestBatch } from '../../engine.js'
import { type ColdRow, type Column, type InMetadata, timeAt } from '../../execute/columns/batch.js'
import { ABSENT, type Codes, type Dictionary as Entries, entryOf } from '../../execute/columns/dictionary.js'
import { widenNumbers } from '../../execute/columns/numbers.js'
import { projectCodes, type Segment } from '../segment/segment.js'

/** A batch ends at the first row at which the batch has this many rows, or bytes of cold columns. */
const BATCH_ROWS = 4096
const BATCH_BYTES = 4 * MIB

/** Consecutive rows of a segment: [from, to). */
export interface RowRange {
  from: number
  to: number
}

/**
 * Returns the rows of a sealed segment, all or the rows of a range, in order, as batches that an engine can append:
 * each value as ingested, absent values absent. Batches lack the hot columns that the segment lacks. Rejects
 * with `damaged_segment` if a file of the segment is damaged.
 */
export async function* batchesOf(
  segment: Segment,
  { from, to }: RowRange = { from: 0, to: segment.rows },
): AsyncGenerator<IngestBatch, void> {
  const read = segment.openCold()
  const columns = new Map([...segment.columns].map(([name, column]) => [name, readerOf(column)]))
  columns.set('project', codedReader(projectCodes(segment), segment.projects.dictionary))
  columns.set(IN_METADATA, bitSetReader(segment.inMetadata))
  for (let start = from; start < to; ) {
    const cold: ColdRow[] = []
    let bytes = 0
    while (start + cold.length < to && cold.length < BATCH_ROWS && bytes < BATCH_BYTES) {
      const row = await read(start + cold.length)
      for (const name of COLD_COLUMNS) bytes += row[name].length
      cold.push(row)
    }
    yield toBatch(segment, start, cold, columns)
    start += cold.length
  }
}

/** Returns the values of the rows [start, end) of a hot column as Arrow data of the type in the schema. */
type HotReader = (start: number, end: number, type: unknown) => Data

function toBatch(
  { source, times }: Segment,
  start: number,
  cold: readonly ColdRow[],
  columns: ReadonlyMap<string, HotReader>,
): IngestBatch {
  const missing = new Set(hotColumns(source).flatMap(({ name }) => (columns.has(name) ? [] : [name])))
  const schema = new Schema(batchSchema(source).fields.filter(({ name }) => !missing.has(name)))
  const end = start + cold.length
  const children = schema.fields.map(({ name, type }) => {
    if (name === 'timestamp') {
      const values = BigInt64Array.from(cold, (_, i) => BigInt(timeAt(times, start + i)))
      return makeData({ type: type as TimestampMicrosecond, length: cold.length, nullCount: 0, data: values })
    }
    const hot = columns.get(name)
    return hot === undefined ? texts(cold.map((row) => row[name as keyof ColdRow])) : hot(start, end, type)
  })
  const data = makeData({ type: new Struct(schema.fields), length: cold.length, nullCount: 0, children })
  const ipc = RecordBatchStreamWriter.writeAll([new RecordBatch(schema, data)]).toUint8Array(true)
  return { source, rows: cold.length, ipc }
}

function readerOf(column: Column): HotReader {
  if (column.kind === 'text') return codedReader(column.codes, column.dictionary)
  if (column.kind === 'areas') {
    return (start, end) =>
      makeData({ type: new Uint8(), length: end - start, nullCount: 0, data: column.flags.slice(start, end) })
  }
  const doubles = widenNumbers(column)
  return (start, end) => {
    const data = doubles.slice(start, end)
    return makeData({ type: new Float64(), length: data.length, data, ...validity(data, Number.isNaN) })
  }
}

function bitSetReader({ mask, rows }: InMetadata): HotReader {
  return (start, end) => {
    const data = rows?.slice(start, end) ?? new Uint32Array(end - start).fill(mask)
    return makeData({ type: new Uint32(), length: data.length, nullCount: 0, data })
  }
}

/** Reads a text column as texts, or, if the schema has a dictionary, as codes of a dictionary of the batch's texts. */
function codedReader(codes: Codes, entries: Entries): HotReader {
  return (start, end, type) => {
    const wanted = codes.subarray(start, end)
    if (!(type instanceof Dictionary)) {
      return texts(Array.from(wanted, (code) => (code === ABSENT ? undefined : entryOf(entries, code))))
    }
    const distinct = [...new Set(wanted)].filter((code) => code !== ABSENT)
    const places = new Map(distinct.map((code, i) => [code, i]))
    return makeData({
      type: type as Dictionary<Utf8, Int32>,
      length: wanted.length,
      data: Int32Array.from(wanted, (code) => places.get(code) ?? 0),
      dictionary: new Vector([texts(distinct.map((code) => entryOf(entries, code)))]),
      ...validity(wanted, (code) => code === ABSENT),
    })
  }
}

function texts(values: readonly (Uint8Array | undefined)[]): Data<Utf8> {
  const valueOffsets = new Int32Array(values.length + 1)
  values.forEach((value, i) => {
    valueOffsets[i + 1] = valueOffsets[i] + (value?.length ?? 0)
  })
  const data = new Uint8Array(valueOffsets[values.length])
  values.forEach((value, i) => {
    if (value !== undefined) data.set(value, valueOffsets[i])
  })
  const nulls = validity(values, (value) => value === undefined)
  return makeData({ type: new Utf8(), length: values.length, valueOffsets, data, ...nulls })
}

/**
 * Returns the Arrow validity bitmap: a bit for each present value, lowest bit first. No bitmap if all values are
 * present.
 */
function validity<T>(values: ArrayLike<T>, isAbsent: (value: T) => boolean) {
  const nullBitmap = new Uint8Array(8 * Math.ceil(values.length / 64))
  let nullCount = 0
  for (let i = 0; i < values.length; i++) {
    if (isAbsent(values[i])) nullCount++
    else nullBitmap[i >> 3] |= 1 << (i & 7)
  }
  return nullCount === 0 ? { nullCount } : { nullCount, nullBitmap }
}
