import {
  Bool,
  type DataType,
  Field,
  Float64,
  Int64,
  makeData,
  makeVector,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow'
import { KIB } from '../../base/units.js'
import type { AnswerColumn, ColumnKind, Row, Value } from '../../plan/answer.js'
import { momentOfText } from '../../plan/values/times.js'
import { RawJson } from '../../plan/values/values.js'
import type { Format } from './format.js'

/** A record batch ends with the row that fills the batch to this size. */
const BATCH_BYTES = 64 * KIB
/** Approximate bytes of a value that is not a text. */
const VALUE_BYTES = 8
const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
const NOTHING = new Uint8Array(0)

/** The Arrow type of a column kind, and how values become a vector. Both kinds of time have the same type. */
interface Kind {
  type: DataType
  vector(values: readonly (Value | undefined)[]): Vector
}

const time = new TimestampMicrosecond('UTC')
const texts: Kind = { type: new Utf8(), vector: (values) => vectorFromArray(values.map(textOf), new Utf8()) }

const integers: Kind = {
  type: new Int64(),
  vector: (values) => vectorFromArray(values.map(wholeOf), new Int64()),
}

const KINDS: Readonly<Record<ColumnKind, Kind>> = {
  text: texts,
  json: texts,
  microseconds: { type: time, vector: (values) => timesOf(values.map(wholeOf)) },
  datetime: { type: time, vector: (values) => timesOf(values.map(datetimeUs)) },
  integer: integers,
  count: integers,
  boolean: { type: new Bool(), vector: (values) => vectorFromArray(values.map(booleanOf), new Bool()) },
  any: { type: new Utf8(), vector: (values) => vectorFromArray(values.map(textOf), new Utf8()) },
  double: { type: new Float64(), vector: (values) => vectorFromArray(values.map(doubleOf), new Float64()) },
}

/**
 * An Arrow IPC stream: the schema, then record batches of about 64 KiB or of a single longer row. Texts and JSON are
 * Utf8, times are Timestamp in µs, UTC, counts are Int64, other numbers Float64. All are nullable. Without rows there
 * is the schema only.
 */
export const arrowFormat: Format = {
  name: 'arrow',
  encoder(columns) {
    const schema = new Schema(columns.map(({ name, kind }) => new Field(name, KINDS[kind].type, true)))
    const begin = withoutEnd(tableToIPC(new Table(schema), 'stream'))
    let rows: Row[] = []
    let bytes = 0

    function batch(): Uint8Array {
      if (rows.length === 0) return NOTHING
      const stream = tableToIPC(new Table(schema, [recordBatch(schema, columns, rows)]), 'stream')
      rows = []
      bytes = 0
      return withoutEnd(stream).subarray(begin.length)
    }

    return {
      begin,
      row(row) {
        rows.push(row)
        for (const { name } of columns) bytes += bytesOf(row[name])
        return bytes < BATCH_BYTES ? NOTHING : batch()
      },
      end: () => Buffer.concat([batch(), END_OF_STREAM]),
      endBytes: END_OF_STREAM.length,
    }
  },
}

const withoutEnd = (stream: Uint8Array) => stream.subarray(0, -END_OF_STREAM.length)

function recordBatch(schema: Schema, columns: readonly AnswerColumn[], rows: readonly Row[]): RecordBatch {
  const children = columns.map(({ name, kind }) => KINDS[kind].vector(rows.map((row) => row[name])).data[0])
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: rows.length, children }))
}

function bytesOf(value: Value | undefined): number {
  if (value instanceof RawJson) return value.text.length
  return typeof value === 'string' ? value.length : VALUE_BYTES
}

function textOf(value: Value | undefined): string | null {
  if (value === null || value === undefined) return null
  return value instanceof RawJson ? value.text : String(value)
}

/**
 * An integer or a time beyond 2^53 is a JSON number with all digits. A number beyond 64 bits, as a sum of large
 * integers can be, is null.
 */
function wholeOf(value: Value | undefined): bigint | null {
  if (!(value instanceof RawJson) && typeof value !== 'number') return null
  const whole = BigInt(value instanceof RawJson ? value.text : value)
  return BigInt.asIntN(64, whole) === whole ? whole : null
}

const booleanOf = (value: Value | undefined) => (typeof value === 'boolean' ? value : null)

function datetimeUs(value: Value | undefined): bigint | null {
  return typeof value === 'string' ? BigInt(momentOfText(value)!) : null
}

/** NaN and infinities are null, as in JSON. An integer beyond 2^53, which an answer has as digits, is rounded. */
function doubleOf(value: Value | undefined): number | null {
  if (value instanceof RawJson) return Number(value.text)
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Built from integers: apache-arrow takes times in milliseconds, which would lose microseconds. */
function timesOf(timestampsUs: readonly (bigint | null)[]): Vector {
  const { length, nullCount, nullBitmap, values } = vectorFromArray(timestampsUs, new Int64()).data[0]
  return makeVector(makeData({ type: time, length, nullCount, nullBitmap, data: values }))
}
