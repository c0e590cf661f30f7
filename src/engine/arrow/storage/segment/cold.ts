import { Field, Schema, Utf8 } from 'apache-arrow'
import { type Block, encodeEnd, fileStart, ZSTD_BATCH } from '../../../../arrow-ipc/file.js'
import { aligned, createMessageWriter, type Region } from '../../../../arrow-ipc/message.js'
import { crc32 } from '../../../../base/crc32.js'
import type { Yielder } from '../../../../base/time-slices.js'
import { KIB, MIB } from '../../../../base/units.js'
import { COLD_COLUMNS } from '../../../columns.js'
import { gatherTexts, reserveBytes, type Texts } from '../head/texts.js'
import { BUFFER_ROOM_BYTES, type Codec, compressBound, writeBuffer } from './zstd.js'

/** The file that cold columns are sealed into, and what finds its way in it. */
export interface ColdFile {
  file: Buffer
  /** Batch b holds the rows [firstRows[b], firstRows[b + 1]). */
  firstRows: Uint32Array
  /** And lies at the bytes [starts[b], starts[b + 1]). */
  starts: Uint32Array
  /** Whether all of it was compressed with high effort. */
  isSmall: boolean
}

/** Sealed cold columns: rows in order, as an Arrow IPC file of many record batches, in memory or on disk. */
export interface ColdColumns {
  /** The whole file, where it is in memory. */
  file?: Buffer
  /** Whether that was compressed with high effort. */
  isSmall?: boolean
  /** Bytes of memory taken, once a row has been read. */
  memoryBytes: number
  /** The batch that holds a row: at once from memory, later from disk. Rejects where what was read is damaged. */
  readBatch(row: number): ColdBatch | Promise<ColdBatch>
}

/** A batch of cold columns, which is read whole. */
export interface ColdBatch {
  /** It holds the rows [from, to). */
  from: number
  to: number
  /** Message and body. */
  bytes: Buffer
}

/**
 * How hard to compress: as little as a flood of rows allows, or so that they take an eighth less, which is eight times the
 * work. A batch closes at the first row that makes it as long as its limits: one row of an answer costs reading so much.
 */
export type Effort = 'low' | 'high'

interface Compression {
  rows: number
  bytes: number
  offsets: Codec
  texts: Codec
}

export const COMPRESSION: Record<Effort, Compression> = {
  low: { rows: 384, bytes: 768 * KIB, offsets: 'texts', texts: 'texts' },
  high: { rows: 512, bytes: MIB, offsets: 'smallOffsets', texts: 'smallTexts' },
}

export const MAX_BATCH_ROWS = Math.max(COMPRESSION.low.rows, COMPRESSION.high.rows)

/** Places of a row's texts: start and end of each. */
const PLACES = 2 * COLD_COLUMNS.length

export const COLD_SCHEMA = new Schema(COLD_COLUMNS.map((name) => new Field(name, new Utf8(), false)))
const FILE_START = fileStart(COLD_SCHEMA)
/** Of each column: which rows are null (never any, so nothing), offsets, texts. */
const BUFFERS = 3 * COLD_COLUMNS.length
const NOTHING = new Uint8Array(0)
const MESSAGES = createMessageWriter(COLD_COLUMNS.length, BUFFERS, ZSTD_BATCH)
const MESSAGE_BYTES = MESSAGES.bytes

/**
 * Writes the rows `order` of open cold columns, which take no more rows, into an Arrow IPC file, in that order; a pause may
 * come between two batches, and `effort` is asked before each. The file may be made to take the place of one that has the check
 * `replaces`. The room behind the texts is the workshop: a batch is gathered there and compressed to the end
 * of the ones before, so that sealing makes no garbage and touches no new memory.
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

export function coldColumnsInMemory({ file, firstRows, starts, isSmall }: ColdFile): ColdColumns {
  return {
    file,
    isSmall,
    memoryBytes: firstRows.byteLength + starts.byteLength + file.byteLength,
    readBatch(row) {
      const batch = batchOf(firstRows, row)
      const bytes = file.subarray(starts[batch]!, starts[batch + 1]!)
      return { from: firstRows[batch]!, to: firstRows[batch + 1]!, bytes }
    },
  }
}

/** The batch that holds a row, where batch b holds the rows [firstRows[b], firstRows[b + 1]). */
export function batchOf(firstRows: Uint32Array, row: number): number {
  let low = 0
  let high = firstRows.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firstRows[middle]! <= row) low = middle
    else high = middle - 1
  }
  return low
}

/** Batch b lies at the bytes [starts[b], starts[b + 1]) of its file. */
export function startsOf(batches: readonly Block[]): Uint32Array {
  const ends = batches.map(({ offset, messageBytes, bodyBytes }) => offset + messageBytes + bodyBytes)
  return Uint32Array.from([FILE_START.length, ...ends])
}

/**
 * What a reader needs beside Arrow's own footer: the first row of each batch and one behind the last; the CRC-32 of each; and of
 * a file that has taken the place of another the check of that one.
 */
function encodeAside(numbers: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(numbers).buffer)
}

export function decodeAside(
  aside: Buffer,
  batches: number,
): { firstRows: Uint32Array; checks: Uint32Array; replaces: number | undefined } {
  const words = new Uint32Array(new Uint8Array(aside).buffer)
  const last = 2 * batches + 1
  return { firstRows: words.slice(0, batches + 1), checks: words.slice(batches + 1, last), replaces: words[last] }
}

/** The batch that begins at row `from` of the order: where it ends, and the bytes of its texts. */
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
    const row = order[to++]! * PLACES
    for (let place = row; place < row + PLACES; place += 2) textBytes += places[place + 1]! - places[place]!
  }
  return { to, textBytes }
}

interface OpenBatch {
  rows: Uint32Array
  textBytes: number
  /** Where in the file it is to stand. */
  offset: number
  compression: Compression
}

/** Writes a batch to its place of the file in the workshop; returns the bytes of its body. */
function sealBatch(cold: Texts, { rows, textBytes, offset, compression }: OpenBatch): number {
  const offsetsBytes = (rows.length + 1) * 4
  const room = compressBound(COLD_COLUMNS.length * offsetsBytes + textBytes) + BUFFERS * BUFFER_ROOM_BYTES
  // What is gathered stands behind all that compressing it may write, at a place that is even for 32-bit integers.
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

/** The compressed buffers of a batch, and where each is. */
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
