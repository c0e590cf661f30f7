import { Decompressor } from 'zstd-napi'
import zstd from 'zstd-napi/binding.js'
import { KIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../schema.js'
import type { ColdRow } from '../columns/batch.js'
import type { Pause } from '../slices.js'
import { reserveBytes, type Texts } from './texts.js'

/** Sealed cold columns: rows in order, in zstd blocks that are read whole. */
export interface ColdBlocks {
  /** Block b holds the rows [firstRows[b], firstRows[b + 1]) at the bytes [starts[b], starts[b + 1]). */
  firstRows: Uint32Array
  starts: Uint32Array
  bytes: Buffer
}

/** A block closes at the first row that fills this: one row of an answer costs reading so much. */
export const BLOCK_BYTES = 112 * KIB
const MAX_BLOCK_ROWS = 1024
/** Places of a row's texts: start and end of each. */
const PLACES = 2 * COLD_COLUMNS.length
/** zstd's fastest positive level: twice as small as LZ4 on logs, at about its speed. */
const COMPRESSION_LEVEL = 1

const compressor = new zstd.CCtx()
compressor.setParameter(zstd.CParameter.compressionLevel, COMPRESSION_LEVEL)
const decompressor = new Decompressor()
/** Below this a loop over the bytes is faster than a call that copies them. */
const SHORT_BYTES = 48

export function coldBytes({ firstRows, starts, bytes }: ColdBlocks): number {
  return firstRows.byteLength + starts.byteLength + bytes.byteLength
}

/**
 * Writes the rows `order` of open cold columns, which take no more rows, into compressed blocks, in that order; a pause may
 * come between two blocks. The room behind the texts is the workshop: a block is gathered there and compressed to the end
 * of the ones before, so that sealing makes no garbage and touches no new memory.
 */
export async function sealCold(cold: Texts, order: Uint32Array, pause: Pause): Promise<ColdBlocks> {
  const firstRows = [0]
  const starts = [0]
  for (let from = 0; from < order.length; ) {
    const { to, textBytes } = blockFrom(cold, order, from)
    starts.push(sealBlock(cold, order.subarray(from, to), textBytes, starts.at(-1)!))
    firstRows.push(to)
    await pause()
    from = to
  }
  const bytes = Buffer.allocUnsafeSlow(starts.at(-1)!)
  bytes.set(cold.bytes.subarray(cold.usedBytes, cold.usedBytes + bytes.length))
  return { firstRows: Uint32Array.from(firstRows), starts: Uint32Array.from(starts), bytes }
}

/** The block that begins at row `from` of the order: where it ends, and the bytes of its texts. */
function blockFrom({ places }: Texts, order: Uint32Array, from: number): { to: number; textBytes: number } {
  const limit = Math.min(order.length, from + MAX_BLOCK_ROWS)
  let textBytes = 0
  let to = from
  while (to < limit && textBytes < BLOCK_BYTES) {
    const row = order[to++]! * PLACES
    for (let place = row; place < row + PLACES; place += 2) textBytes += places[place + 1]! - places[place]!
  }
  return { to, textBytes }
}

/** Compresses a block to `start` of the workshop; returns where there it ends. */
function sealBlock(cold: Texts, rows: Uint32Array, textBytes: number, start: number): number {
  const blockBytes = COLD_COLUMNS.length * rows.length * 4 + textBytes
  const room = zstd.compressBound(blockBytes)
  // What is gathered stands behind all that compressing it may write, at a place that is even for 32-bit integers.
  reserveBytes(cold, start + room + blockBytes + 4)
  const out = cold.usedBytes + start
  const at = 4 * Math.ceil((out + room) / 4)
  gather(cold, rows, at)
  const block = cold.bytes.subarray(at, at + blockBytes)
  return start + compressor.compress2(cold.bytes.subarray(out, out + room), block)
}

/** A block before compression: for each column the lengths of its texts as 32-bit integers; then for each column its texts. */
function gather({ bytes, places }: Texts, rows: Uint32Array, at: number): void {
  const lengths = new Uint32Array(bytes.buffer, at, COLD_COLUMNS.length * rows.length)
  let end = at + lengths.byteLength
  for (let column = 0, i = 0; column < COLD_COLUMNS.length; column++) {
    for (let r = 0; r < rows.length; r++, i++) {
      const place = rows[r]! * PLACES + 2 * column
      copyWithin(bytes, places[place]!, places[place + 1]!, end)
      end += lengths[i] = places[place + 1]! - places[place]!
    }
  }
}

function copyWithin(bytes: Uint8Array, start: number, end: number, target: number): void {
  if (end - start >= SHORT_BYTES) bytes.copyWithin(target, start, end)
  else for (let p = start; p < end; p++) bytes[target++] = bytes[p]!
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
