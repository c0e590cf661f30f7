import {
  type Data,
  type DataType,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchStreamWriter,
  Struct,
  Uint32,
  Utf8,
} from 'apache-arrow'
import { batchSchema, hotColumns } from '../../../src/common/columns.js'
import type { SourceName } from '../../../src/common/sources.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import type { Row } from './validate.js'

type Texts = readonly (Buffer | null)[]

/** Returns the rows of a source as a batch, written by apache-arrow. */
export function batchOf(source: SourceName, rows: readonly Row[]): IngestBatch {
  const schema = batchSchema(source)
  const types: DataType[] = schema.fields.map(({ type }) => type)
  const length = rows.length
  const hot = hotColumns(source).map(({ kind }, i) => {
    const type = types[2 + i]!
    const values = rows.map((row) => row.hot[i]!)
    if (kind === 'category') return codes(type, values as Texts)
    if (kind === 'text') return texts(type, values as Texts)
    return kind === 'number' ? numbers(type, values as (number | null)[]) : flags(type, values as number[])
  })
  const children = [
    makeData({ type: types[0], length, data: BigInt64Array.from(rows, timestamp) } as never),
    codes(
      types[1]!,
      rows.map(({ project }) => project),
    ),
    ...hot,
    makeData({ type: new Uint32(), length, data: Uint32Array.from(rows, ({ inMetadata }) => inMetadata) }),
    ...(['id', 'eventMessage', 'metadata'] as const).map((name) =>
      texts(
        new Utf8(),
        rows.map((row) => row[name]),
      ),
    ),
  ]
  const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children })
  const writer = RecordBatchStreamWriter.writeAll([new RecordBatch(schema, data)])
  return { source, rows: length, ipc: writer.toUint8Array(true) as Uint8Array<ArrayBuffer> }
}

const timestamp = ({ timestampUs }: Row): bigint => BigInt(Math.trunc(timestampUs))

function texts(type: DataType, values: Texts): Data {
  const valueOffsets = new Int32Array(values.length + 1)
  for (const [i, text] of values.entries()) valueOffsets[i + 1] = valueOffsets[i]! + (text?.length ?? 0)
  const data = Buffer.concat(values.map((text) => text ?? Buffer.of()))
  return makeData({ type, length: values.length, valueOffsets, data, ...nullsOf(values) } as never)
}

/** A dictionary column: codes in order of first appearance, -1 for null. */
function codes(type: DataType, values: Texts): Data {
  const seen = new Map<string, { code: number; text: Buffer }>()
  const data = Int32Array.from(values, (text) => {
    if (text === null) return -1
    const entry = seen.get(text.toString('latin1')) ?? { code: seen.size, text }
    seen.set(text.toString('latin1'), entry)
    return entry.code
  })
  const dictionary = makeVector(
    texts(
      new Utf8(),
      [...seen.values()].map(({ text }) => text),
    ),
  )
  return makeData({ type, length: values.length, data, dictionary, ...nullsOf(values) } as never)
}

/** A column of doubles, NaN for null. */
function numbers(type: DataType, values: readonly (number | null)[]): Data {
  const data = Float64Array.from(values, (value) => value ?? Number.NaN)
  return makeData({ type, length: values.length, data, ...nullsOf(values) } as never)
}

const flags = (type: DataType, values: readonly number[]): Data =>
  makeData({ type, length: values.length, data: Uint8Array.from(values) } as never)

function nullsOf(values: readonly unknown[]) {
  const nullBitmap = new Uint8Array((values.length + 7) >> 3)
  for (const [i, value] of values.entries()) if (value !== null) nullBitmap[i >> 3]! |= 1 << (i & 7)
  return { nullBitmap, nullCount: values.filter((value) => value === null).length }
}
