import { DataType, Message, type Schema } from 'apache-arrow'
import { BufferRegion, FieldNode } from 'apache-arrow/ipc/metadata/message'
import {
  aligned,
  batchMessage,
  createMessageWriter,
  END_OF_STREAM,
  framed,
  type MessageWriter,
  type Region,
} from './message.js'

/** A column's values, or the entries of the column's dictionary: views of the buffers that Arrow's format requires. */
export interface ColumnBytes {
  rows: number
  nulls: number
  /** The validity bitmap first. The bitmap is empty if no value is null. */
  buffers: readonly Uint8Array[]
}

/** A column of a batch: the buffers, and the entries if the column is dictionary-encoded. */
export interface BatchColumn extends ColumnBytes {
  dictionary?: ColumnBytes
}

/** Writes record batches of a schema, each as a separate Arrow IPC stream: the same bytes that apache-arrow writes. */
export interface StreamWriter {
  /**
   * Writes into `memory`, a whole buffer, if the buffer is large enough, else into new memory with some extra room.
   * Reused memory costs a quarter of new memory.
   */
  write(rows: number, columns: readonly BatchColumn[], memory?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>
}

/** A message and the following body. */
interface Part {
  message: MessageWriter
  rows: number
  columns: readonly ColumnBytes[]
  buffers: readonly Uint8Array[]
  regions: readonly Region[]
  bodyBytes: number
}

const TEXT_BUFFERS = 3
const VALUE_BUFFERS = 2
/** Extra room in new memory, as a share of the batch: the next batch may be a little larger. */
const EXTRA_SHARE = 1 / 16

/** Creates a writer. Parts that are equal in each stream are encoded once. */
export function createStreamWriter(schema: Schema): StreamWriter {
  const types = schema.fields.map(({ type }) => type)
  const start = framed(Message.from(schema))
  const buffers = types.reduce((sum, type) => sum + (DataType.isUtf8(type) ? TEXT_BUFFERS : VALUE_BUFFERS), 0)
  const ofBatch = createMessageWriter(types.length, buffers)
  const ofDictionaries = types.map((type) => (DataType.isDictionary(type) ? dictionaryMessages(type.id) : undefined))

  function partsOf(rows: number, columns: readonly BatchColumn[]): Part[] {
    const parts: Part[] = []
    for (const [i, { dictionary }] of columns.entries()) {
      if (dictionary === undefined) continue
      const { filled, empty } = ofDictionaries[i]!
      parts.push(partOf(dictionary.rows > 0 ? filled : empty, dictionary.rows, [dictionary]))
    }
    parts.push(partOf(ofBatch, rows, columns))
    return parts
  }

  return {
    write(rows, columns, memory) {
      const parts = partsOf(rows, columns)
      const bytes = parts.reduce((sum, { message, bodyBytes }) => sum + message.bytes + bodyBytes, start.length)
      const ipc = targetOf(bytes + END_OF_STREAM.length, memory)
      const target = Buffer.from(ipc.buffer, 0, ipc.length)
      target.set(start)
      let at = start.length
      for (const part of parts) at = writePart(target, at, part)
      target.set(END_OF_STREAM, at)
      return ipc
    },
  }
}

/** The encoding omits zeros, so that an empty dictionary has another message than a filled dictionary. */
function dictionaryMessages(dictionaryId: number): { filled: MessageWriter; empty: MessageWriter } {
  const [nothing, oneOffset] = [0, aligned(4)]
  const regions = [new BufferRegion(0, nothing), new BufferRegion(0, oneOffset), new BufferRegion(oneOffset, nothing)]
  const empty = batchMessage(0, [new FieldNode(0, 0)], regions, oneOffset, { dictionaryId })
  return {
    filled: createMessageWriter(1, TEXT_BUFFERS, { dictionaryId }),
    empty: { bytes: empty.length, write: (target) => target.set(empty) },
  }
}

function partOf(message: MessageWriter, rows: number, columns: readonly ColumnBytes[]): Part {
  const buffers = columns.flatMap((column) => column.buffers)
  let bodyBytes = 0
  const regions = buffers.map(({ length }) => {
    const region = { offset: bodyBytes, length: aligned(length) }
    bodyBytes += region.length
    return region
  })
  return { message, rows, columns, buffers, regions, bodyBytes }
}

function targetOf(bytes: number, memory?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const isEnough = memory !== undefined && memory.length >= bytes
  return new Uint8Array(isEnough ? memory.buffer : new ArrayBuffer(Math.ceil(bytes * (1 + EXTRA_SHARE))), 0, bytes)
}

/** Returns the offset after the part. */
function writePart(target: Buffer, at: number, { message, rows, columns, buffers, regions, bodyBytes }: Part): number {
  const nulls = columns.map((column) => column.nulls)
  message.write(target.subarray(at), rows, regions, bodyBytes, nulls)
  const body = at + message.bytes
  for (const [i, buffer] of buffers.entries()) {
    const { offset, length } = regions[i]
    target.set(buffer, body + offset)
    target.fill(0, body + offset + buffer.length, body + offset + length)
  }
  return body + bodyBytes
}
