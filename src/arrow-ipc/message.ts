import { Message } from 'apache-arrow'
import {
  type BodyCompression,
  BufferRegion,
  DictionaryBatch,
  FieldNode,
  RecordBatch,
} from 'apache-arrow/ipc/metadata/message'

/** Messages of Arrow's IPC format, encoded by apache-arrow. The numbers in repeated messages are patched by hand. */

/** The marker that starts the prefix of each message. */
export const CONTINUATION = Uint8Array.of(0xff, 0xff, 0xff, 0xff)
/** The bytes after the last message of a stream. */
export const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
/** Length of the prefix of a message: continuation marker and message length. */
export const PREFIX_BYTES = 8
const ALIGNMENT = 8

/** Returns the next offset at which a buffer or message may start. */
export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT

/** Returns a message with prefix and padding, as in a stream or file. */
export function framed(message: Message): Buffer {
  const metadata = Message.encode(message)
  const framed = Buffer.alloc(aligned(PREFIX_BYTES + metadata.length))
  framed.set(CONTINUATION)
  framed.writeInt32LE(framed.length - PREFIX_BYTES, CONTINUATION.length)
  framed.set(metadata, PREFIX_BYTES)
  return framed
}

/** The properties that batches of a kind share. */
export interface BatchKind {
  compression?: BodyCompression
  /** The dictionary's id, for dictionary batches. */
  dictionaryId?: number
}

/** Returns the message before a body with this many rows. The message's length is a multiple of 8. */
export function batchMessage(
  rows: number,
  nodes: FieldNode[],
  buffers: BufferRegion[],
  bodyBytes: number,
  { compression, dictionaryId }: BatchKind = {},
): Buffer {
  const batch = new RecordBatch(rows, nodes, buffers, compression ?? null)
  return framed(Message.from(dictionaryId === undefined ? batch : new DictionaryBatch(batch, dictionaryId), bodyBytes))
}

/** Offset and length of a buffer in a body, in bytes. */
export type Region = Pick<BufferRegion, 'offset' | 'length'>

/** Writes the messages of batches of a kind. */
export interface MessageWriter {
  /** The length of each message. */
  bytes: number
  /** `nulls` has the number of nulls of each column. Without `nulls` there are no nulls. */
  write(target: Buffer, rows: number, buffers: readonly Region[], bodyBytes: number, nulls?: readonly number[]): void
}

/** Numbers that occur in no real message, so that their positions in the template can be found. */
const FIRST_MARK = 2 ** 40 + 1

/**
 * Creates a writer of the messages that {@link batchMessage} returns for batches with the given numbers of columns and
 * buffers. The messages differ in numbers only: a template is encoded, and the numbers in the template are replaced, at
 * a tenth of the cost.
 */
export function createMessageWriter(columns: number, buffers: number, kind: BatchKind = {}): MessageWriter {
  const template = templateOf(columns, buffers, kind)
  const { marked, rowsAt, nodesAt, regionsAt, bodyBytesAt } = template
  return {
    bytes: marked.length,
    write(target, rows, regions, bodyBytes, nulls) {
      target.set(marked)
      writeInt64(target, rows, rowsAt)
      for (let i = 0; i < columns; i++) {
        writeInt64(target, rows, nodesAt[i])
        writeInt64(target, nulls?.[i] ?? 0, nodesAt[i] + 8)
      }
      for (let i = 0; i < buffers; i++) {
        writeInt64(target, regions[i].offset, regionsAt[i])
        writeInt64(target, regions[i].length, regionsAt[i] + 8)
      }
      writeInt64(target, bodyBytes, bodyBytesAt)
    },
  }
}

/** Returns a message with marks as numbers, and the marks' positions. A node or region is a struct of two numbers. */
function templateOf(columns: number, buffers: number, kind: BatchKind) {
  let mark = FIRST_MARK
  const next = () => mark++
  const rows = next()
  const nodes = Array.from({ length: columns }, () => new FieldNode(next(), 0))
  const regions = Array.from({ length: buffers }, () => new BufferRegion(next(), 0))
  const bodyBytes = next()
  const marked = batchMessage(rows, nodes, regions, bodyBytes, kind)
  const at = (value: number) => marked.indexOf(int64(value))
  return {
    marked,
    rowsAt: at(rows),
    nodesAt: nodes.map(({ length }) => at(Number(length))),
    regionsAt: regions.map(({ offset }) => at(Number(offset))),
    bodyBytesAt: at(bodyBytes),
  }
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  writeInt64(bytes, value, 0)
  return bytes
}

function writeInt64(target: Buffer, value: number, at: number): void {
  target.writeUInt32LE(value % 2 ** 32, at)
  target.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4)
}
