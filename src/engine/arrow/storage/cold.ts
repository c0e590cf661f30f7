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

/**
 * Writes the rows `order` of open cold columns into compressed blocks, in that order; a pause may come between two blocks.
 */
export async function sealCold(cold: OpenCold, order: Uint32Array, pause: Pause): Promise<ColdBlocks> {
  const columns = COLD_COLUMNS.map((name) => cold[name])
  const scratch: Scratch = { bytes: Buffer.allocUnsafeSlow(2 * BLOCK_BYTES) }
  const firstRows = [0]
  const blocks: Uint8Array[] = []
  for (let from = 0; from < order.length; ) {
    const block = gather(columns, order.subarray(from, from + MAX_BLOCK_ROWS), scratch)
    blocks.push(compressor.compress(block.bytes))
    from += block.rows
    firstRows.push(from)
    await pause()
  }
  return join(firstRows, blocks)
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

/** Where a block is gathered: one piece of memory for all blocks of a seal, since garbage this large is collected dearly. */
interface Scratch {
  bytes: Buffer
}

/**
 * A block before compression, of as many of the rows `order` as fill it: for each column the lengths of its texts as
 * 32-bit integers; then for each column its texts.
 */
function gather(columns: readonly Texts[], order: Uint32Array, scratch: Scratch): { rows: number; bytes: Buffer } {
  const { rows, textBytes } = rowsThatFill(columns, order)
  const lengths = new Uint32Array(columns.length * rows)
  columns.forEach((column, c) => {
    for (let i = 0; i < rows; i++) lengths[c * rows + i] = lengthAt(column, order[i]!)
  })
  const needed = lengths.byteLength + textBytes
  if (needed > scratch.bytes.length) scratch.bytes = Buffer.allocUnsafeSlow(2 * needed)
  const bytes = scratch.bytes.subarray(0, needed)
  bytes.set(new Uint8Array(lengths.buffer))
  let at = lengths.byteLength
  for (const column of columns) at = gatherTexts(column, order, rows, bytes, at)
  return { rows, bytes }
}

function rowsThatFill(columns: readonly Texts[], order: Uint32Array): { rows: number; textBytes: number } {
  let textBytes = 0
  for (let i = 0; i < order.length; i++) {
    for (let c = 0; c < columns.length; c++) textBytes += lengthAt(columns[c]!, order[i]!)
    if (textBytes >= BLOCK_BYTES) return { rows: i + 1, textBytes }
  }
  return { rows: order.length, textBytes }
}

function lengthAt({ offsets }: Texts, row: number): number {
  return offsets[row + 1]! - offsets[row]!
}

/** Copies the texts of the first rows of `order` to `target` from `at` on; returns where they end. */
function gatherTexts({ offsets, bytes }: Texts, order: Uint32Array, rows: number, target: Buffer, at: number): number {
  let end = at
  for (let i = 0; i < rows; i++) {
    const start = offsets[order[i]!]!
    const length = offsets[order[i]! + 1]! - start
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
