import type { Data } from 'apache-arrow'
import { KIB, MIB } from '../../../base/units.js'
import { COLD_COLUMNS, type ColdColumn } from '../../schema.js'
import type { ColdRow } from '../columns/batch.js'

/** The texts of some rows, end to end: text i is `bytes[offsets[i] .. offsets[i + 1])`. */
export interface Texts {
  offsets: Int32Array
  bytes: Uint8Array
}

/** The cold columns of the rows from `firstRow` to that of the next chunk. */
export interface ColdChunk {
  firstRow: number
  columns: Record<ColdColumn, Texts>
  /** Bytes of memory that this chunk keeps from being freed. */
  heldBytes: number
  /** Whether small batches may still be copied in. */
  open: boolean
}

/**
 * The cold columns of an open head. A large batch is kept as it came, its bytes never copied before they are sealed; small
 * ones are copied together, so that a trickle of single rows does not leave an object and a buffer for each.
 */
export interface OpenCold {
  chunks: ColdChunk[]
  /** Bytes of all texts. */
  textBytes: number
}

const ADOPTED_BYTES = 256 * KIB
const OPEN_CHUNK_BYTES = 4 * MIB
const FIRST_TEXTS = 255
const FIRST_BYTES = 16 * KIB

export function createOpenCold(): OpenCold {
  return { chunks: [], textBytes: 0 }
}

/** Appends the cold columns of `rows` rows, the first of which is row `at` of the head. `heldBytes`: the batch's own memory. */
export function appendCold(
  cold: OpenCold,
  at: number,
  rows: number,
  batch: Record<ColdColumn, Data>,
  heldBytes: number,
): void {
  if (heldBytes >= ADOPTED_BYTES) {
    closeLast(cold)
    cold.chunks.push({ firstRow: at, columns: mapColumns((name) => textsOf(batch[name])), heldBytes, open: false })
  } else {
    const chunk = openChunk(cold, at)
    for (const name of COLD_COLUMNS) copyTexts(chunk.columns[name], at - chunk.firstRow, textsOf(batch[name]), rows)
    chunk.heldBytes = heldBytesOf(chunk)
  }
  for (const name of COLD_COLUMNS) cold.textBytes += spanOf(textsOf(batch[name]), rows)
}

/** Bytes of memory held. */
export function openColdBytes({ chunks }: OpenCold): number {
  return chunks.reduce((sum, { heldBytes }) => sum + heldBytes, 0)
}

/** What is there now, which later appends leave alone. */
export function snapshotCold({ chunks, textBytes }: OpenCold): OpenCold {
  const frozen = chunks.map((chunk) =>
    chunk.open ? { ...chunk, columns: mapColumns((name) => ({ ...chunk.columns[name] })) } : chunk,
  )
  return { chunks: frozen, textBytes }
}

/** One row, as views. */
export function readOpenCold({ chunks }: OpenCold, row: number): ColdRow {
  const chunk = chunks.findLast(({ firstRow }) => firstRow <= row)!
  return mapColumns((name) => {
    const { offsets, bytes } = chunk.columns[name]
    const start = offsets[row - chunk.firstRow]!
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, offsets[row - chunk.firstRow + 1]! - start)
  })
}

function mapColumns<T>(make: (name: ColdColumn) => T): Record<ColdColumn, T> {
  return { id: make('id'), event_message: make('event_message'), metadata: make('metadata') }
}

function textsOf({ valueOffsets, values }: Data): Texts {
  return { offsets: valueOffsets as Int32Array, bytes: values as Uint8Array }
}

const spanOf = ({ offsets }: Texts, rows: number) => offsets[rows]! - offsets[0]!

function closeLast({ chunks }: OpenCold): void {
  const last = chunks.at(-1)
  if (last !== undefined) last.open = false
}

/** The last chunk while it takes small batches, or a new one. */
function openChunk(cold: OpenCold, at: number): ColdChunk {
  const last = cold.chunks.at(-1)
  if (last?.open && last.heldBytes < OPEN_CHUNK_BYTES) return last
  closeLast(cold)
  const texts = (): Texts => ({ offsets: new Int32Array(FIRST_TEXTS + 1), bytes: new Uint8Array(FIRST_BYTES) })
  const chunk: ColdChunk = { firstRow: at, columns: mapColumns(texts), heldBytes: 0, open: true }
  cold.chunks.push(chunk)
  return chunk
}

function heldBytesOf({ columns }: ColdChunk): number {
  return Object.values(columns).reduce((sum, { offsets, bytes }) => sum + offsets.byteLength + bytes.byteLength, 0)
}

/** Appends `rows` texts behind the first `at` ones; what is full moves to an array of twice the length. */
function copyTexts(into: Texts, at: number, { offsets, bytes }: Texts, rows: number): void {
  const start = into.offsets[at]!
  const shift = start - offsets[0]!
  const end = shift + offsets[rows]!
  if (at + rows >= into.offsets.length) {
    const grown = new Int32Array(Math.max(at + rows + 1, into.offsets.length * 2))
    grown.set(into.offsets.subarray(0, at + 1))
    into.offsets = grown
  }
  if (end > into.bytes.length) {
    const grown = new Uint8Array(Math.max(end, into.bytes.length * 2))
    grown.set(into.bytes.subarray(0, start))
    into.bytes = grown
  }
  for (let i = 1; i <= rows; i++) into.offsets[at + i] = shift + offsets[i]!
  into.bytes.set(bytes.subarray(offsets[0], offsets[rows]), start)
}
