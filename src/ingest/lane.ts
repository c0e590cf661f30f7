import { type Data, DataType, type Field, makeData, makeVector, RecordBatch, Struct, Utf8 } from 'apache-arrow'
import type { IngestBatch } from '../engine/engine.js'
import { batchSchema, COLD_COLUMNS, hotColumns } from '../engine/schema.js'
import type { SourceName } from '../sources.js'
import { toIpc } from './ipc.js'

/** The batch of one source that the module fills: a window on its memory. */
export interface Lane {
  readonly source: SourceName
  /** Rows of the batch so far. */
  rows(): number
  /**
   * The rows as an Arrow IPC stream, in `memory` where that has the room, else in new memory; it is the only thing
   * there. The lane is then empty.
   */
  takeBatch(memory?: Uint8Array<ArrayBuffer>): IngestBatch
  /** Bytes that the largest batch has filled. */
  largestBytes(): number
}

/** The words of a lane's header, which assembly/batch/lanes.ts lays down; the columns' headers follow. */
const LANE = { rows: 0, textBytes: 1 } as const
const LANE_BYTES = 32

/** The words of a column's header that are read here; assembly/batch/columns.ts says what they mean. */
const COLUMN = { nulls: 0, validity: 1, values: 2, offsets: 3, texts: 4, entries: 5 } as const
const COLUMN_BYTES = 64

/** What a row takes besides its texts, at the most: codes, numbers, offsets and their padding. */
const ROW_BYTES = 64

/** The lane whose header lies at `address`; `clear` makes it empty. */
export function createLane(source: SourceName, buffer: ArrayBuffer, address: number, clear: () => void): Lane {
  const schema = batchSchema(source)
  const header = new Int32Array(buffer, address, LANE_BYTES / 4)
  const columns = columnNumbers(source).map(
    (number) => new Int32Array(buffer, address + LANE_BYTES + number * COLUMN_BYTES, COLUMN_BYTES / 4),
  )
  const contentBytes = () => header[LANE.textBytes]! + header[LANE.rows]! * ROW_BYTES
  let largestBytes = 0

  function takeBatch(memory?: Uint8Array<ArrayBuffer>): IngestBatch {
    const rows = header[LANE.rows]!
    const children = columns.map((column, i) => dataOf(schema.fields[i]!, buffer, column, rows))
    const data = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children })
    const ipc = toIpc(new RecordBatch(schema, data), contentBytes(), memory)
    largestBytes = Math.max(largestBytes, contentBytes())
    clear()
    return { source, rows, ipc }
  }

  return { source, rows: () => header[LANE.rows]!, takeBatch, largestBytes: () => largestBytes }
}

/** The numbers that a lane's columns have in the module, in the order of the schema: there, hot ones come last. */
function columnNumbers(source: SourceName): number[] {
  const hot = hotColumns(source).map((_, i) => 2 + COLD_COLUMNS.length + i)
  return [0, 1, ...hot, ...COLD_COLUMNS.map((_, i) => 2 + i)]
}

/** The first `rows` values of a column, where they lie. */
function dataOf({ type, nullable }: Field, buffer: ArrayBuffer, column: Int32Array, rows: number): Data {
  const nullBitmap = () => new Uint8Array(buffer, column[COLUMN.validity], (rows + 7) >> 3)
  const nulls = nullable ? { nullCount: column[COLUMN.nulls]!, nullBitmap: nullBitmap() } : { nullCount: 0 }
  if (DataType.isUtf8(type)) return textsOf(type, buffer, column, rows, nulls)
  const { ArrayType } = DataType.isDictionary(type) ? type.indices : type
  const values = { type, length: rows, data: new ArrayType(buffer, column[COLUMN.values]!, rows), ...nulls }
  if (!DataType.isDictionary(type)) return makeData(values as never)
  const dictionary = makeVector(textsOf(new Utf8(), buffer, column, column[COLUMN.entries]!))
  return makeData({ ...values, dictionary } as never)
}

function textsOf(type: Utf8, buffer: ArrayBuffer, column: Int32Array, length: number, nulls: object = {}): Data {
  const valueOffsets = new Int32Array(buffer, column[COLUMN.offsets], length + 1)
  const data = new Uint8Array(buffer, column[COLUMN.texts], valueOffsets[length])
  return makeData({ type, length, valueOffsets, data, ...nulls })
}
