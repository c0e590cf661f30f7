import { Compressor, Decompressor } from 'zstd-napi'
import { KIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../schema.js'
import type { ColdRow } from '../columns/batch.js'
import type { Pause } from '../slices.js'
import type { OpenCold, Texts } from './open-cold.js'

/** Sealed cold columns: rows in order, in zstd blocks that are read whole. */
export interface ColdBlocks {
  /** Block b holds the rows [firstRows[b], firstRows[b + 1]) at the bytes [starts[b], starts[b + 1]). */
  firstRows: Uint32Array
  starts: Uint32Array
  bytes: Buffer
}

/**
 * A block closes at the first row that fills this: one row of an answer costs reading so much. The compressor keeps its
 * output memory from block to block up to 128 KiB.
 */
export const BLOCK_BYTES = 112 * KIB
const MAX_BLOCK_ROWS = 1024
/** zstd's fastest positive level: twice as small as LZ4 on logs, at about its speed. */
const COMPRESSION_LEVEL = 1

const compressor = new Compressor()
compressor.setParameters({ compressionLevel: COMPRESSION_LEVEL })
const decompressor = new Decompressor()
/** Below this a loop over the bytes is faster than a call that copies them. */
const SHORT_BYTES = 100

export function coldBytes({ firstRows, starts, bytes }: ColdBlocks): number {
  return firstRows.byteLength + starts.byteLength + bytes.byteLength
}

/** Where the texts of some rows begin in an open column, and how long they are. */
interface Places {
  bytes: Uint8Array
  starts: Uint32Array
  lengths: Uint32Array
}

/**
 * Writes the rows `order` of open cold columns into compressed blocks, in that order; a pause may come between two blocks.
 */
export async function sealCold(cold: OpenCold, order: Uint32Array, pause: Pause): Promise<ColdBlocks> {
  const columns = COLD_COLUMNS.map((name) => placesOf(cold[name], order))
  const scratch: Scratch = { bytes: new Uint8Array(2 * BLOCK_BYTES) }
  const firstRows = [0]
  const blocks: Uint8Array[] = []
  for (let from = 0; from < order.length; ) {
    const to = blockEnd(columns, from, order.length)
    blocks.push(compressor.compress(gather(columns, from, to, scratch)))
    firstRows.push(to)
    await pause()
    from = to
  }
  return join(firstRows, blocks)
}

/** The offsets are read once, in the order of rows, which is no order of memory. */
function placesOf({ offsets, bytes }: Texts, order: Uint32Array): Places {
  const starts = new Uint32Array(order.length)
  const lengths = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) {
    const row = order[i]!
    starts[i] = offsets[row]!
    lengths[i] = offsets[row + 1]! - starts[i]!
  }
  return { bytes, starts, lengths }
}

/** One buffer of the exact size for all blocks: one object to hold, and to account for. */
function join(firstRows: number[], blocks: Uint8Array[]): ColdBlocks {
  const starts = new Uint32Array(blocks.length + 1)
  blocks.forEach((block, i) => {
    starts[i + 1] = starts[i]! + block.length
  })
  const bytes = Buffer.allocUnsafeSlow(starts[blocks.length]!)
  blocks.forEach((block, i) => {
    bytes.set(block, starts[i])
  })
  return { firstRows: Uint32Array.from(firstRows), starts, bytes }
}

function blockEnd([ids, messages, metadata]: readonly Places[], from: number, end: number): number {
  const limit = Math.min(end, from + MAX_BLOCK_ROWS)
  let bytes = 0
  for (let i = from; i < limit; i++) {
    bytes += ids!.lengths[i]! + messages!.lengths[i]! + metadata!.lengths[i]!
    if (bytes >= BLOCK_BYTES) return i + 1
  }
  return limit
}

/** Where a block is gathered: one piece of memory for all blocks of a seal, since garbage this large is collected dearly. */
interface Scratch {
  bytes: Uint8Array
}

/**
 * A block before compression: for each column the lengths of its texts as 32-bit integers; then for each column its texts.
 */
function gather(columns: readonly Places[], from: number, to: number, scratch: Scratch): Buffer {
  const lengths = columns.map((column) => column.lengths.subarray(from, to))
  const lengthBytes = columns.length * (to - from) * 4
  const needed = lengths.reduce((sum, column) => sum + column.reduce((a, b) => a + b, 0), lengthBytes)
  if (needed > scratch.bytes.length) scratch.bytes = new Uint8Array(2 * needed)
  const { bytes } = scratch
  lengths.forEach((column, c) => {
    new Uint32Array(bytes.buffer, c * column.byteLength, column.length).set(column)
  })
  let at = lengthBytes
  for (const column of columns) at = gatherTexts(column, from, to, bytes, at)
  return Buffer.from(bytes.buffer, 0, needed)
}

/** Copies the texts [from, to) to `target` from `at` on; returns where they end. */
function gatherTexts(
  { bytes, starts, lengths }: Places,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
): number {
  let end = at
  for (let i = from; i < to; i++) {
    const start = starts[i]!
    const length = lengths[i]!
    if (length < SHORT_BYTES) for (let j = 0; j < length; j++) target[end + j] = bytes[start + j]!
    else target.set(bytes.subarray(start, start + length), end)
    end += length
  }
  return end
}

/** Reads rows of sealed cold columns; keeps the block last read, since the rows of an answer lie side by side. */
export function createColdReader({ firstRows, starts, bytes }: ColdBlocks): (row: number) => ColdRow {
  let current = -1
  let read: (index: number) => ColdRow
  return (row) => {
    const wanted = blockOf(firstRows, row)
    if (wanted !== current) {
      const block = decompressor.decompress(bytes.subarray(starts[wanted]!, starts[wanted + 1]!))
      read = openBlock(block, firstRows[wanted + 1]! - firstRows[wanted]!)
      current = wanted
    }
    return read(row - firstRows[current]!)
  }
}

function openBlock(block: Buffer, rows: number): (index: number) => ColdRow {
  const ends = new Uint32Array(COLD_COLUMNS.length * rows)
  let end = ends.byteLength
  for (let i = 0; i < ends.length; i++) ends[i] = end += block.readUInt32LE(i * 4)
  const textOf = (column: ColdColumn, index: number) => {
    const i = COLD_COLUMNS.indexOf(column) * rows + index
    return block.subarray(i === 0 ? ends.byteLength : ends[i - 1], ends[i])
  }
  return (index) => ({
    id: textOf('id', index),
    event_message: textOf('event_message', index),
    metadata: textOf('metadata', index),
  })
}

function blockOf(firstRows: Uint32Array, row: number): number {
  let low = 0
  let high = firstRows.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firstRows[middle]! <= row) low = middle
    else high = middle - 1
  }
  return low
}
