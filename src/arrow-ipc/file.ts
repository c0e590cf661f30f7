import { crc32 } from 'node:zlib'
import { CompressionType, Message, MetadataVersion, type Schema } from 'apache-arrow'
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file'
import {
  BodyCompression,
  type DictionaryBatch,
  type FieldNode,
  type RecordBatch,
} from 'apache-arrow/ipc/metadata/message'
import { aligned, type BatchKind, CONTINUATION, END_OF_STREAM, framed, PREFIX_BYTES, type Region } from './message.js'

/**
 * The parts of an Arrow IPC file with zstd frames as buffers, in the order of the file: start (magic, schema), messages
 * with their bodies, end (end of stream, aside, checksum, footer, magic).
 *
 * apache-arrow encodes all metadata. The writer of apache-arrow is not used: that writer stores the compressed length
 * of a buffer where the format requires the uncompressed length, copies each buffer, and omits the schema message.
 *
 * The aside is an addition of ours: bytes that other tools skip, since tools find the footer from the end of the file.
 * The checksum is the CRC-32 of the end. Arrow has no checksum.
 */
const MAGIC = Buffer.from('ARROW1')
const CHECK_BYTES = 8
const TRAILER_BYTES = 4 + MAGIC.length
/** The kind of the batches in a file: each buffer is a zstd frame. */
export const ZSTD_BATCH: BatchKind = { compression: new BodyCompression(CompressionType.ZSTD) }

/** Returns magic and schema message. The first batch follows directly. */
export function fileStart(schema: Schema): Buffer {
  return Buffer.concat([MAGIC, new Uint8Array(aligned(MAGIC.length) - MAGIC.length), framed(Message.from(schema))])
}

/** A record batch or dictionary batch without its body. */
export interface BatchLayout {
  /** Rows and nulls of each column. */
  nodes: readonly FieldNode[]
  /** The places of the batch's buffers, counted from the start of the message. */
  regions: readonly Region[]
}

/** Returns the buffers of the message at the start of `bytes`. The body must follow, as in the file. */
export function decodeMessage(bytes: Buffer): { buffers: Buffer[] } {
  const { regions } = decodeLayout(bytes)
  return { buffers: regions.map(({ offset, length }) => bytes.subarray(offset, offset + length)) }
}

/** Decodes the message at the start of `bytes`. The body need not follow. */
export function decodeLayout(bytes: Buffer): BatchLayout {
  const bodyAt = PREFIX_BYTES + bytes.readInt32LE(CONTINUATION.length)
  const message = Message.decode(bytes.subarray(PREFIX_BYTES, bodyAt))
  const { nodes, buffers } = message.header() as RecordBatch | DictionaryBatch
  return { nodes, regions: buffers.map(({ offset, length }) => ({ offset: bodyAt + offset, length })) }
}

/** The position of a message in the file, and the lengths of message and body, in bytes. */
export interface Block {
  offset: number
  messageBytes: number
  bodyBytes: number
}

/** The end of a file: the positions of all batches, and the aside. */
export interface FileEnd {
  schema: Schema
  batches: readonly Block[]
  dictionaries: readonly Block[]
  aside: Buffer
}

/** Encodes the end of a file. The checksum covers everything in the end but the checksum. */
export function encodeEnd({ schema, batches, dictionaries, aside }: FileEnd): Buffer {
  const footer = Footer.encode(new Footer(schema, MetadataVersion.V5, toFile(batches), toFile(dictionaries)))
  const check = Buffer.alloc(CHECK_BYTES)
  const trailer = Buffer.alloc(TRAILER_BYTES)
  check.writeUInt32LE(aside.length)
  trailer.writeUInt32LE(footer.length)
  trailer.set(MAGIC, 4)
  const front = Buffer.concat([END_OF_STREAM, aside, check.subarray(0, 4)])
  check.writeUInt32LE(crc32(trailer, crc32(footer, crc32(front))), 4)
  return Buffer.concat([front, check.subarray(4), footer, trailer])
}

/** Returns the checksum of an encoded end, which identifies the file. */
export function checksumOf(end: Buffer): number {
  return end.readUInt32LE(end.length - TRAILER_BYTES - footerBytes(end) - 4)
}

/** Returns the length from the checksum to the end of the file, or undefined if `last` is no end of such a file. */
export function checkedBytes(last: Buffer): number | undefined {
  if (last.length < TRAILER_BYTES || !last.subarray(-MAGIC.length).equals(MAGIC)) return undefined
  return CHECK_BYTES + footerBytes(last) + TRAILER_BYTES
}

/** Returns the length of the end of a file, read from the last bytes, which include the checksum. */
export function endBytes(last: Buffer): number {
  const checked = checkedBytes(last)!
  return END_OF_STREAM.length + last.readUInt32LE(last.length - checked) + checked
}

/** Decodes the end of a file. Returns undefined if the checksum is wrong. */
export function decodeEnd(end: Buffer): FileEnd | undefined {
  const footerAt = end.length - TRAILER_BYTES - footerBytes(end)
  const front = end.subarray(0, footerAt - 4)
  if (crc32(end.subarray(footerAt), crc32(front)) !== end.readUInt32LE(footerAt - 4)) return undefined
  const footer = Footer.decode(end.subarray(footerAt, end.length - TRAILER_BYTES))
  return {
    schema: footer.schema,
    batches: fromFile(footer.recordBatches()),
    dictionaries: fromFile(footer.dictionaryBatches()),
    aside: front.subarray(END_OF_STREAM.length, -4),
  }
}

const footerBytes = (end: Buffer) => end.readUInt32LE(end.length - TRAILER_BYTES)

const toFile = (blocks: readonly Block[]) =>
  blocks.map(({ offset, messageBytes, bodyBytes }) => new FileBlock(messageBytes, bodyBytes, offset))

const fromFile = (blocks: Iterable<FileBlock>): Block[] =>
  Array.from(blocks, ({ offset, metaDataLength, bodyLength }) => ({
    offset,
    messageBytes: metaDataLength,
    bodyBytes: bodyLength,
  }))
