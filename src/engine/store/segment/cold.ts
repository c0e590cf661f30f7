import { crc32 } from 'node:zlib'
import { Field, Schema, Utf8 } from 'apache-arrow'
import { type Block, encodeEnd, fileStart, ZSTD_BATCH } from '../../../arrow-ipc/file.js'
import { aligned, createMessageWriter, type Region } from '../../../arrow-ipc/message.js'
import { compressBound } from '../../../base/compression/zstd-engine.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { KIB, MIB } from '../../../base/units.js'
import { COLD_COLUMNS } from '../../../common/columns.js'
import { gatherTexts, reserveBytes, type Texts } from '../../execute/open-batch/texts.js'
import { BUFFER_ROOM_BYTES, type Codec, writeBuffer } from './zstd.js'

/** The file of sealed cold columns, and the index of its batches. */
export interface ColdFile {
  file: Buffer
  /** Batch b holds the rows [firstRows[b], firstRows[b + 1]). */
  firstRows: Uint32Array
  /** Batch b is stored at the bytes [starts[b], starts[b + 1]). */
  starts: Uint32Array
  /** Whether the whole file was compressed with high effort. */
  isSmall: boolean
}

/** Sealed cold columns: rows in order, as an Arrow IPC file of many record batches, in memory or on disk. */
export interface ColdColumns {
  /** The whole file, if in memory. */
  file?: Buffer
  /** Whether that file was compressed with high effort. */
  isSmall?: boolean
  /** Bytes of memory after a row has been read. */
  memoryBytes: number
  /** Returns the batch with a row: at once from memory, or a promise from disk. Rejects if the batch is damaged. */
  readBatch(row: number): ColdBatch | Promise<ColdBatch>
  /**
   * Returns the batch with a row, and the next batches up to the row `to` that are cheaper to read together with the
   * first batch. Rejects if the first batch is damaged.
   */
  readBatches(row: number, to: number): readonly ColdBatch[] | Promise<readonly ColdBatch[]>
  /** Keeps the file open between reads, until `release`. Absent if the file is in memory. */
  hold?(): void
  release?(): void
}

/** A batch of cold columns: the smallest unit that is read. */
export interface ColdBatch {
  /** The batch has the rows [from, to). */
  from: number
  to: number
  /** Message and body. */
  bytes: Buffer
}

/** Effort of compression: `high` makes files an eighth smaller than `low` and takes eight times as long. */
export type Effort = 'low' | 'high'

/** A batch is closed by the first row that reaches a limit: reading a single row costs reading the whole batch. */
interface Compression {
  rows: number
  bytes: number
  offsets: Codec
  texts: Codec
}

/** Size limits of a batch, and codecs, for each effort. */
export const COMPRESSION: Record<Effort, Compression> = {
  low: { rows: 384, bytes: 768 * KIB, offsets: 'texts', texts: 'texts' },
  high: { rows: 512, bytes: MIB, offsets: 'smallOffsets', texts: 'smallTexts' },
}

/** The most rows of a batch of any effort. */
export const MAX_BATCH_ROWS = Math.max(COMPRESSION.low.rows, COMPRESSION.high.rows)

/** Numbers of a row in `Texts.places`: start and end of each text. */
const PLACES = 2 * COLD_COLUMNS.length

/** The Arrow schema of a cold file. */
const COLD_SCHEMA = new Schema(COLD_COLUMNS.map((name) => new Field(name, new Utf8(), false)))
const FILE_START = fileStart(COLD_SCHEMA)
/** For each column: validity (empty, since no row is null), offsets, texts. */
const BUFFERS = 3 * COLD_COLUMNS.length
const NOTHING = new Uint8Array(0)
const MESSAGES = createMessageWriter(COLD_COLUMNS.length, BUFFERS, ZSTD_BATCH)
const MESSAGE_BYTES = MESSAGES.bytes

/**
 * Writes the rows `order` of cold columns, in that order, to an Arrow IPC file in memory. Yields between two batches,
 * and calls `effort` before each batch. A file that is to replace another file has `replaces`, the checksum of the
 * replaced file. The columns must accept no more rows: the room after their texts is the workspace. Each batch is
 * gathered in the workspace and compressed to the end of the previous batches, so that sealing creates no garbage and
 * touches no new memory.
 */
export async function sealCold(
  cold: Texts,
  order: Uint32Array,
  yieldIfDue: Yielder,
  effort: () => Effort = () => 'low',
  replaces?: number,
): Promise<ColdFile> {
  const firstRows = [0]
  const checks: number[] = []
  const batches: Block[] = []
  let isSmall = true
  reserveBytes(cold, FILE_START.length)
  cold.bytes.set(FILE_START, cold.usedBytes)
  let offset = FILE_START.length
  for (let from = 0; from < order.length; ) {
    const compression = COMPRESSION[effort()]
    isSmall &&= compression === COMPRESSION.high
    const { to, textBytes } = batchFrom(cold, order, from, compression)
    const bodyBytes = sealBatch(cold, { rows: order.subarray(from, to), textBytes, offset, compression })
    batches.push({ offset, messageBytes: MESSAGE_BYTES, bodyBytes })
    const start = cold.usedBytes + offset
    checks.push(crc32(cold.bytes.subarray(start, start + MESSAGE_BYTES + bodyBytes)))
    firstRows.push(to)
    offset += MESSAGE_BYTES + bodyBytes
    await yieldIfDue()
    from = to
  }
  const end = encodeEnd({
    schema: COLD_SCHEMA,
    batches,
    dictionaries: [],
    aside: encodeAside([...firstRows, ...checks, ...(replaces === undefined ? [] : [replaces])]),
  })
  const file = Buffer.allocUnsafeSlow(offset + end.length)
  file.set(cold.bytes.subarray(cold.usedBytes, cold.usedBytes + offset))
  file.set(end, offset)
  return { file, firstRows: Uint32Array.from(firstRows), starts: startsOf(batches), isSmall }
}

/** A cold file of which it need not be known how it was compressed. */
type ColdFileInMemory = Omit<ColdFile, 'isSmall'> & Partial<Pick<ColdFile, 'isSmall'>>

/** Returns the cold columns of a file in memory. */
export function coldColumnsInMemory({ file, firstRows, starts, isSmall }: ColdFileInMemory): ColdColumns {
  const readBatch = (row: number): ColdBatch => {
    const batch = batchOf(firstRows, row)
    const bytes = file.subarray(starts[batch], starts[batch + 1])
    return { from: firstRows[batch], to: firstRows[batch + 1], bytes }
  }
  return {
    file,
    isSmall,
    memoryBytes: firstRows.byteLength + starts.byteLength + file.byteLength,
    readBatch,
    readBatches: (row) => [readBatch(row)],
  }
}

/** Returns the batch with a row, by binary search: batch b has the rows [firstRows[b], firstRows[b + 1]). */
export function batchOf(firstRows: Uint32Array, row: number): number {
  let low = 0
  let high = firstRows.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firstRows[middle] <= row) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns `starts`: batch b is stored at the bytes [starts[b], starts[b + 1]) of its file. */
export function startsOf(batches: readonly Block[]): Uint32Array {
  const ends = batches.map(({ offset, messageBytes, bodyBytes }) => offset + messageBytes + bodyBytes)
  return Uint32Array.from([FILE_START.length, ...ends])
}

/**
 * Encodes the data that a reader needs in addition to Arrow's footer: the first row of each batch and the number of all
 * rows, then the CRC-32 of each batch. In a file that replaces another file, the checksum of the replaced file comes
 * last.
 */
function encodeAside(numbers: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(numbers).buffer)
}

/**
 * Decodes the index at the end of a cold file of that many batches. `replaces` is undefined if the file replaces no
 * other file.
 */
export function decodeAside(
  aside: Buffer,
  batches: number,
): { firstRows: Uint32Array; checks: Uint32Array; replaces: number | undefined } {
  const words = new Uint32Array(new Uint8Array(aside).buffer)
  const last = 2 * batches + 1
  return { firstRows: words.slice(0, batches + 1), checks: words.slice(batches + 1, last), replaces: words[last] }
}

/** Returns the end of the batch that starts at row `from` of the order, and the bytes of its texts. */
function batchFrom(
  { places }: Texts,
  order: Uint32Array,
  from: number,
  { rows, bytes }: Compression,
): { to: number; textBytes: number } {
  const limit = Math.min(order.length, from + rows)
  let textBytes = 0
  let to = from
  while (to < limit && textBytes < bytes) {
    const row = order[to++] * PLACES
    for (let place = row; place < row + PLACES; place += 2) textBytes += places[place + 1] - places[place]
  }
  return { to, textBytes }
}

interface OpenBatch {
  rows: Uint32Array
  textBytes: number
  /** The byte offset of the batch in the file. */
  offset: number
  compression: Compression
}

/** Writes a batch to its place in the workspace. Returns the bytes of the body. */
function sealBatch(cold: Texts, { rows, textBytes, offset, compression }: OpenBatch): number {
  const offsetsBytes = (rows.length + 1) * 4
  const room = compressBound(COLD_COLUMNS.length * offsetsBytes + textBytes) + BUFFERS * BUFFER_ROOM_BYTES
  // Texts are gathered after the last byte that compression may write, aligned to 4 bytes.
  reserveBytes(cold, offset + MESSAGE_BYTES + room + offsetsBytes + textBytes + 4)
  const at = 4 * Math.ceil((cold.usedBytes + offset + MESSAGE_BYTES + room) / 4)
  const out = Buffer.from(cold.bytes.buffer, cold.usedBytes + offset, MESSAGE_BYTES + room)
  const body: Body = { out: out.subarray(MESSAGE_BYTES), buffers: [], bytes: 0 }
  for (let column = 0; column < COLD_COLUMNS.length; column++) {
    const end = gatherTexts(cold, rows, column, at)
    addBuffer(body, NOTHING, 'texts')
    addBuffer(body, cold.bytes.subarray(at, at + offsetsBytes), compression.offsets)
    addBuffer(body, cold.bytes.subarray(at + offsetsBytes, end), compression.texts)
  }
  MESSAGES.write(out, rows.length, body.buffers, body.bytes)
  return body.bytes
}

/** The compressed buffers of a batch, and the place of each. */
interface Body {
  out: Buffer
  buffers: Region[]
  bytes: number
}

function addBuffer(body: Body, content: Uint8Array, codec: Codec): void {
  const length = writeBuffer(body.out.subarray(body.bytes), content, codec)
  body.buffers.push({ offset: body.bytes, length })
  const next = aligned(body.bytes + length)
  body.out.fill(0, body.bytes + length, next)
  body.bytes = next
}
