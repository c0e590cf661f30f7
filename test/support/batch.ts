import {
  type Data,
  Dictionary,
  type Float64,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Struct,
  type TimestampMicrosecond,
  tableFromIPC,
  tableToIPC,
  type Uint8,
  Uint32,
  Utf8,
  Vector,
} from 'apache-arrow'
import {
  AREAS,
  batchSchema,
  COLD_COLUMNS,
  type HotColumn,
  hotColumns,
  IN_METADATA,
  planColumns,
} from '../../src/common/columns.js'
import type { SourceName } from '../../src/common/sources.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import { bitsInMetadata } from './in-metadata.js'
import { numberAt, type TestRecord, textAt } from './records.js'

/**
 * Returns the batch that ingest would make of the records, made with apache-arrow alone.
 * Throws if a record is of another source.
 */
export function toBatch(source: SourceName, records: readonly TestRecord[]): IngestBatch {
  const stranger = records.find((record) => record.source !== source)
  if (stranger !== undefined) throw new Error(`A record of ${stranger.source} cannot go into a batch of ${source}.`)
  const schema = batchSchema(source)
  const metadata = records.map((record) => record.metadata)
  const children = [
    timestamps(records.map((record) => record.timestampUs)),
    texts(
      records.map((record) => record.project ?? undefined),
      0,
    ),
    ...hotColumns(source).map((column, i) => hot(column, metadata, i + 1)),
    bitSets(metadata.map((json) => bitsInMetadata(source, json))),
    ...COLD_COLUMNS.map((name) => plainTexts(records.map((record) => record[name]))),
  ]
  const data = makeData({ type: new Struct(schema.fields), length: records.length, nullCount: 0, children })
  const ipc = RecordBatchStreamWriter.writeAll([new RecordBatch(schema, data)]).toUint8Array(true)
  return { source, rows: records.length, ipc }
}

/** Returns a batch as if written by a version without the left-out columns. */
export function withoutColumns(batch: IngestBatch, isLeftOut: (name: string) => boolean): IngestBatch {
  const table = tableFromIPC(batch.ipc)
  const names = table.schema.names.filter((name) => !isLeftOut(name as string))
  return { ...batch, ipc: tableToIPC(table.select(names), 'stream') }
}

/** Returns a batch as if written by a version without declared fields. */
export function withoutFields(batch: IngestBatch): IngestBatch {
  const added = new Set([IN_METADATA, ...hotColumns(batch.source).map(({ name }) => name)])
  for (const { name } of planColumns(batch.source)) added.delete(name)
  return withoutColumns(batch, (name) => added.has(name))
}

function hot(column: HotColumn, metadata: readonly string[], dictionaryId: number): Data {
  const { kind, path } = column
  if (kind === 'number') return numbers(metadata.map((json) => numberAt(json, path)))
  const values = metadata.map((json) => textAt(json, path))
  if (kind === 'category') return texts(values, dictionaryId)
  return kind === 'text' ? plainTexts(values) : areas(values)
}

function timestamps(values: readonly number[]): Data {
  const type = batchSchema('edge_logs').fields[0]!.type as TimestampMicrosecond
  return makeData({ type, length: values.length, nullCount: 0, data: BigInt64Array.from(values, BigInt) })
}

/** Codes of a dictionary, -1 under a null. */
function texts(values: readonly (string | undefined)[], dictionaryId: number): Data {
  const entries = [...new Set(values.filter((value) => value !== undefined))]
  const codeOf = new Map(entries.map((value, code) => [value, code]))
  return makeData({
    type: new Dictionary(new Utf8(), new Int32(), dictionaryId),
    length: values.length,
    data: Int32Array.from(values, (value) => (value === undefined ? -1 : codeOf.get(value)!)),
    dictionary: new Vector([plainTexts(entries)]),
    ...validity(values),
  })
}

/** Doubles, NaN under a null. */
function numbers(values: readonly (number | undefined)[]): Data {
  const type = batchSchema('function_edge_logs').fields.find(({ name }) => name === 'execution_time_ms')!
    .type as Float64
  const data = Float64Array.from(values, (value) => value ?? Number.NaN)
  return makeData({ type, length: values.length, data, ...validity(values) })
}

function areas(values: readonly (string | undefined)[]): Data {
  const type = batchSchema('edge_logs').fields.find(({ name }) => name === 'path')!.type as Uint8
  const flags = (text = '') => AREAS.reduce((bits, area, i) => bits | (text.includes(area) ? 1 << i : 0), 0)
  return makeData({ type, length: values.length, nullCount: 0, data: Uint8Array.from(values, (value) => flags(value)) })
}

function bitSets(values: readonly number[]): Data {
  return makeData({ type: new Uint32(), length: values.length, nullCount: 0, data: Uint32Array.from(values) })
}

/** Without a builder of apache-arrow, which takes most of the time of a test with many batches. */
function plainTexts(values: readonly (string | undefined)[]): Data<Utf8> {
  const texts = values.map((value = '') => Buffer.from(value))
  const valueOffsets = new Int32Array(values.length + 1)
  for (const [row, { length }] of texts.entries()) valueOffsets[row + 1] = valueOffsets[row]! + length
  const data = Buffer.concat(texts)
  return makeData({ type: new Utf8(), length: values.length, valueOffsets, data, ...validity(values) })
}

/** The bits of the values that are present, lowest bit first. */
function validity(values: readonly unknown[]): { nullCount: number; nullBitmap?: Uint8Array } {
  const nullCount = values.filter((value) => value === undefined).length
  if (nullCount === 0) return { nullCount }
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 64) * 8)
  values.forEach((value, row) => {
    if (value !== undefined) nullBitmap[row >> 3]! |= 1 << (row & 7)
  })
  return { nullCount, nullBitmap }
}
