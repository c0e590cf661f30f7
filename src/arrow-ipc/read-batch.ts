import { DataType, Message, type Schema } from 'apache-arrow'
import type { DictionaryBatch, RecordBatch } from 'apache-arrow/ipc/metadata/message'
import { CONTINUATION, PREFIX_BYTES } from './message.js'

/** A column of a received batch: views of the batch's memory, valid until that memory is reused. */
export interface ColumnView {
  nullCount: number
  /** Bit `row`, counted from the lowest of the first byte, is 1 if there is a value. Empty if no value is null. */
  nullBitmap: Uint8Array
  /** A number per row, or dictionary codes. For times two 32-bit words, the lower word first. For texts the bytes. */
  values: Float64Array | Int32Array | Uint32Array | Uint8Array
  /** For texts: the start of each text, and the end of the last text. */
  valueOffsets: Int32Array
  dictionary?: DictionaryView
}

/** An Arrow IPC stream of a single record batch of `rows` rows. Most batches of a `source` have the same schema. */
export interface StreamedBatch {
  source: string
  rows: number
  ipc: Uint8Array
}

/** The entries of a dictionary: texts, with their number. */
interface DictionaryView extends ColumnView {
  rows: number
}

const NO_OFFSETS = new Int32Array(0)

/**
 * Returns the columns of a batch by name, or undefined if the batch is not an uncompressed Arrow IPC stream of a single
 * record batch of `rows` rows, as ingest writes it. apache-arrow decodes the messages. The reader of apache-arrow would
 * build vectors that are not needed.
 */
export function readBatch({ source, rows, ipc }: StreamedBatch): Map<string, ColumnView> | undefined {
  const bytes = Buffer.from(ipc.buffer, ipc.byteOffset, ipc.byteLength)
  const dictionaries = new Map<number, DictionaryView>()
  let schema: Schema | undefined
  for (const { message, metadata, body } of readMessages(bytes)) {
    if (message.isSchema()) schema = readSchema(source, message, metadata)
    else if (message.isDictionaryBatch()) {
      const batch = message.header() as DictionaryBatch
      dictionaries.set(batch.id, { ...readTexts(createCursor(batch, body)), rows: batch.nodes[0].length })
    } else if (schema !== undefined && message.isRecordBatch()) {
      const batch = message.header() as RecordBatch
      const isPlain = batch.length === rows && batch.compression === null
      return isPlain ? readColumns(schema, createCursor(batch, body), dictionaries) : undefined
    }
  }
  return undefined
}

function* readMessages(bytes: Buffer) {
  for (let at = 0; at + PREFIX_BYTES <= bytes.length; ) {
    const bodyAt = at + PREFIX_BYTES + bytes.readInt32LE(at + CONTINUATION.length)
    const metadata = bytes.subarray(at + PREFIX_BYTES, bodyAt)
    if (metadata.length === 0) return
    const message = Message.decode(metadata)
    at = bodyAt + message.bodyLength
    yield { message, metadata, body: bytes.subarray(bodyAt, at) }
  }
}

/** The last schema of each source. Nearly all batches of the source have that schema. */
const lastSchemas = new Map<string, { metadata: Buffer; schema: Schema }>()

function readSchema(source: string, message: Message, metadata: Buffer): Schema {
  const last = lastSchemas.get(source)
  if (last?.metadata.equals(metadata)) return last.schema
  const schema = message.header() as unknown as Schema
  lastSchemas.set(source, { metadata: Buffer.from(metadata), schema })
  return schema
}

/** A position in the buffers of a batch, which are read column by column. */
interface BufferCursor {
  rows(): number
  nullCount(): number
  buffer(): Buffer
  next(): void
}

function createCursor({ nodes, buffers }: RecordBatch | DictionaryBatch, body: Buffer): BufferCursor {
  let [node, region] = [0, 0]
  return {
    rows: () => nodes[node].length,
    nullCount: () => nodes[node].nullCount,
    buffer() {
      const { offset, length } = buffers[region++]
      return body.subarray(offset, offset + length)
    },
    next: () => void node++,
  }
}

function readColumns(
  { fields }: Schema,
  cursor: BufferCursor,
  dictionaries: ReadonlyMap<number, DictionaryView>,
): Map<string, ColumnView> {
  const columns = new Map<string, ColumnView>()
  for (const { name, type } of fields) {
    const isDictionary = DataType.isDictionary(type)
    const column = DataType.isUtf8(type) ? readTexts(cursor) : readValues(cursor, isDictionary ? type.indices : type)
    columns.set(name, isDictionary ? { ...column, dictionary: dictionaries.get(type.id) } : column)
    cursor.next()
  }
  return columns
}

function readTexts(cursor: BufferCursor): ColumnView {
  const [nullCount, nullBitmap] = [cursor.nullCount(), cursor.buffer()]
  const valueOffsets = viewOf(Int32Array, cursor.buffer(), cursor.rows() + 1)
  return { nullCount, nullBitmap, valueOffsets, values: cursor.buffer() }
}

function readValues(cursor: BufferCursor, type: DataType): ColumnView {
  const [nullCount, nullBitmap, bytes] = [cursor.nullCount(), cursor.buffer(), cursor.buffer()]
  return { nullCount, nullBitmap, valueOffsets: NO_OFFSETS, values: viewOfType(type, bytes, cursor.rows()) }
}

function viewOfType(type: DataType, bytes: Buffer, rows: number): ColumnView['values'] {
  if (DataType.isFloat(type)) return viewOf(Float64Array, bytes, rows)
  if (DataType.isTimestamp(type)) return viewOf(Uint32Array, bytes, 2 * rows)
  return DataType.isInt(type) && type.bitWidth === 32 ? viewOf(Int32Array, bytes, rows) : bytes
}

type Numbers = Float64Array | Int32Array | Uint32Array

/** Returns a view of `length` numbers, or a view of a copy if the numbers are not aligned, as in a journal. */
function viewOf<T extends Numbers>(
  array: { new (buffer: ArrayBufferLike, at?: number, length?: number): T; BYTES_PER_ELEMENT: number },
  { buffer, byteOffset }: Buffer,
  length: number,
): T {
  const bytes = length * array.BYTES_PER_ELEMENT
  if (byteOffset % array.BYTES_PER_ELEMENT === 0) return new array(buffer, byteOffset, length)
  return new array(buffer.slice(byteOffset, byteOffset + bytes), 0, length)
}
