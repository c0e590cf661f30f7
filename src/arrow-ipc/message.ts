import { Message } from 'apache-arrow'
import {
  type BodyCompression,
  BufferRegion,
  DictionaryBatch,
  FieldNode,
  RecordBatch,
} from 'apache-arrow/ipc/metadata/message'

/** Messages of Arrow's IPC format. apache-arrow encodes what they say; what is written in numbers is done by hand. */

export const CONTINUATION = Uint8Array.of(0xff, 0xff, 0xff, 0xff)
export const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
/** Continuation and length in front of a message. */
export const PREFIX_BYTES = 8
const ALIGNMENT = 8

/** The next place at which a buffer or message may begin. */
export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT

/** A message as it stands in a stream or file. */
export function framed(message: Message): Buffer {
  const metadata = Message.encode(message)
  const framed = Buffer.alloc(aligned(PREFIX_BYTES + metadata.length))
  framed.set(CONTINUATION)
  framed.writeInt32LE(framed.length - PREFIX_BYTES, CONTINUATION.length)
  framed.set(metadata, PREFIX_BYTES)
  return framed
}

/** What batches that are alike have in common. */
export interface BatchKind {
  compression?: BodyCompression
  /** Of the batches of a dictionary. */
  dictionaryId?: number
}

/** What stands in front of a body of so many rows, its length a multiple of 8. */
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

/** Where a buffer lies in a body, and how long it is. */
export type Region = Pick<BufferRegion, 'offset' | 'length'>

/** Writes messages of batches that are alike. */
export interface MessageWriter {
  /** Of any of them. */
  bytes: number
  /** `nulls` are those of each column; none where it is left out. */
  write(target: Buffer, rows: number, buffers: readonly Region[], bodyBytes: number, nulls?: readonly number[]): void
}

/** No message has such numbers, so that they are found in the one that has nothing else. */
const FIRST_MARK = 2 ** 40 + 1

/**
 * What {@link batchMessage} gives for batches of so many columns and buffers, which differ in numbers alone: one is encoded,
 * and the numbers are written over those in it, at a tenth of the cost.
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
        writeInt64(target, rows, nodesAt[i]!)
        writeInt64(target, nulls?.[i] ?? 0, nodesAt[i]! + 8)
      }
      for (let i = 0; i < buffers; i++) {
        writeInt64(target, regions[i]!.offset, regionsAt[i]!)
        writeInt64(target, regions[i]!.length, regionsAt[i]! + 8)
      }
      writeInt64(target, bodyBytes, bodyBytesAt)
    },
  }
}

/** A message whose numbers are marks, and where they stand in it; those of a node or a region are a struct of two. */
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
