import { compress, uncompressSync } from 'lz4-napi'
import type { ColdRow } from '../columns/batch.js'
import type { Pause } from '../slices.js'

/** Cold columns that grow: the bytes of each column end to end, and where each row's end. */
export interface ColdBuffers {
  ids: TextBuffer
  messages: TextBuffer
  metadata: TextBuffer
}

/** Row r is `bytes[offsets[r] .. offsets[r + 1])`. */
export interface TextBuffer {
  offsets: Uint32Array
  bytes: Buffer
}

/** Sealed cold columns: rows in order, in LZ4 blocks that are read whole. */
export interface ColdBlocks {
  /** Block b holds the rows [firstRows[b], firstRows[b + 1]) at the bytes [starts[b], starts[b + 1]). */
  firstRows: Uint32Array
  starts: Uint32Array
  bytes: Buffer
}

/** A block closes at the first row that fills this: one row of an answer costs reading so much. */
export const BLOCK_BYTES = 128 * 1024
const MAX_BLOCK_ROWS = 1024

export function coldBytes({ firstRows, starts, bytes }: ColdBlocks): number {
  return firstRows.byteLength + starts.byteLength + bytes.byteLength
}

const COLUMNS = ['ids', 'messages', 'metadata'] as const

/** One row of open cold columns, as views. */
export function readCold(cold: ColdBuffers, row: number): ColdRow {
  const of = ({ bytes, offsets }: TextBuffer) => bytes.subarray(offsets[row]!, offsets[row + 1]!)
  return { id: of(cold.ids), event_message: of(cold.messages), metadata: of(cold.metadata) }
}

/** Blocks in flight on the thread pool while the next are gathered. */
const BLOCKS_IN_FLIGHT = 4

/**
 * Writes the rows `order[start .. end)` of open cold columns into compressed blocks, in that order. Gathering runs here in
 * pieces of one block between pauses, compression on the thread pool.
 */
export async function sealCold(
  cold: ColdBuffers,
  order: Uint32Array,
  start: number,
  end: number,
  pause: Pause,
): Promise<ColdBlocks> {
  const firstRows = [0]
  const blocks: Promise<Buffer>[] = []
  for (let from = start; from < end; ) {
    const to = blockEnd(cold, order, from, end)
    blocks.push(compress(gather(cold, order, from, to)))
    firstRows.push(to - start)
    if (blocks.length >= BLOCKS_IN_FLIGHT) await blocks[blocks.length - BLOCKS_IN_FLIGHT]
    await pause()
    from = to
  }
  return join(firstRows, await Promise.all(blocks))
}

/** Blocks are copied into one buffer of the exact size, since the codec's own results keep room for the worst case. */
function join(firstRows: number[], blocks: Buffer[]): ColdBlocks {
  const starts = new Uint32Array(blocks.length + 1)
  blocks.forEach((block, i) => {
    starts[i + 1] = starts[i]! + block.length
  })
  const bytes = Buffer.allocUnsafeSlow(starts[blocks.length]!)
  blocks.forEach((block, i) => {
    block.copy(bytes, starts[i])
  })
  return { firstRows: Uint32Array.from(firstRows), starts, bytes }
}

function blockEnd(cold: ColdBuffers, order: Uint32Array, from: number, end: number): number {
  const limit = Math.min(end, from + MAX_BLOCK_ROWS)
  let bytes = 0
  for (let at = from; at < limit; at++) {
    const row = order[at]!
    for (const column of COLUMNS) bytes += cold[column].offsets[row + 1]! - cold[column].offsets[row]!
    if (bytes >= BLOCK_BYTES) return at + 1
  }
  return limit
}

/** A block before compression: for each column the lengths of its rows as 32-bit integers; then for each column its bytes. */
function gather(cold: ColdBuffers, order: Uint32Array, from: number, to: number): Buffer {
  const rows = to - from
  const lengths = new Uint32Array(rows * COLUMNS.length)
  let total = lengths.byteLength
  COLUMNS.forEach((column, c) => {
    const { offsets } = cold[column]
    for (let i = 0; i < rows; i++) {
      const row = order[from + i]!
      total += lengths[c * rows + i] = offsets[row + 1]! - offsets[row]!
    }
  })
  const block = Buffer.allocUnsafeSlow(total)
  block.set(new Uint8Array(lengths.buffer))
  let at = lengths.byteLength
  for (const column of COLUMNS) {
    const { offsets, bytes } = cold[column]
    for (let i = from; i < to; i++) at += bytes.copy(block, at, offsets[order[i]!]!, offsets[order[i]! + 1]!)
  }
  return block
}

/** Reads rows of sealed cold columns; keeps the block last read, since the rows of an answer lie side by side. */
export function createColdReader({ firstRows, starts, bytes }: ColdBlocks): (row: number) => ColdRow {
  let current = -1
  let block: Buffer = Buffer.alloc(0)
  let columns: TextBuffer[] = []
  return (row) => {
    const wanted = blockOf(firstRows, row)
    if (wanted !== current) {
      block = uncompressSync(bytes.subarray(starts[wanted]!, starts[wanted + 1]!))
      columns = readBlock(block, firstRows[wanted + 1]! - firstRows[wanted]!)
      current = wanted
    }
    return readCold({ ids: columns[0]!, messages: columns[1]!, metadata: columns[2]! }, row - firstRows[current]!)
  }
}

function readBlock(block: Buffer, rows: number): TextBuffer[] {
  let end = rows * COLUMNS.length * 4
  return COLUMNS.map((_, c) => {
    const offsets = new Uint32Array(rows + 1)
    offsets[0] = end
    for (let i = 0; i < rows; i++) offsets[i + 1] = end += block.readUInt32LE((c * rows + i) * 4)
    return { offsets, bytes: block }
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
