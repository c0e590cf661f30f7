import type { ColumnView } from '../../../../arrow-ipc/read-batch.js'
import { ensureCapacity, growInPlace } from '../../../../base/growable.js'
import { COLD_COLUMNS } from '../../../columns.js'

/**
 * Texts of some columns of an open head, as they came, in one run of bytes: one piece of memory is grown, used again and
 * accounted for more easily than one a column. Bytes grow where they stand, or move like places when they are full, so that who
 * has taken `bytes` and `places` as they are keeps reading what was there.
 */
export interface Texts {
  readonly columns: number
  /** For texts that are copied, not looked at: V8 takes half as long again for each byte of what grows where it stands. */
  readonly growsInPlace: boolean
  /** What the bytes are part of, where that is WebAssembly's. */
  readonly memory?: TextsMemory
  bytes: Uint8Array<ArrayBuffer>
  /** The texts end here; behind it is room to grow. */
  usedBytes: number
  /** Where row r has its texts: start and end of each column's, from `2 * columns * r` on. A null ends before it starts. */
  places: Uint32Array
}

/** Memory in which WebAssembly copies texts: a call of JavaScript for each of them takes longer than most texts do. */
export interface TextsMemory {
  /** At least so many bytes, with what stood there; those that were given before are void. */
  growInPlace(length: number): Uint8Array<ArrayBuffer>
  /** As `gatherTexts` says, of rows of a batch. */
  gather(texts: Texts, rows: Uint32Array, column: number, at: number): number
}

const FIRST_ROWS = 64
const NO_BYTES = new Uint8Array(0)

/** For the cold columns, in the order of the schema. */
export const createColdTexts = () => createTexts({ columns: COLD_COLUMNS.length, growsInPlace: true })

export function createTexts({ columns, growsInPlace }: Pick<Texts, 'columns' | 'growsInPlace'>): Texts {
  const places = new Uint32Array(2 * columns * FIRST_ROWS)
  return { columns, growsInPlace, bytes: NO_BYTES, usedBytes: 0, places }
}

/** The same memory without a text in it. */
export function emptied({ columns, growsInPlace, bytes, places }: Texts): Texts {
  return { columns, growsInPlace, bytes, usedBytes: 0, places }
}

/** Appends `rows` rows of all columns behind the first `at` ones. */
export function appendTexts(texts: Texts, at: number, rows: number, batch: readonly ColumnView[]): void {
  const { columns } = texts
  reservePlaces(texts, at, rows)
  reserveBytes(
    texts,
    batch.reduce((sum, { valueOffsets }) => sum + valueOffsets[rows] - valueOffsets[0], 0),
  )
  batch.forEach((column, i) => {
    appendColumn(texts, 2 * (at * columns + i), column, rows)
  })
}

/** Bytes of memory held, room to grow included. */
export function textsBytes({ bytes, places }: Texts): number {
  return bytes.byteLength + places.byteLength
}

/** One text, as a view. */
export function textAt({ columns, bytes, places }: Texts, row: number, column: number): Buffer {
  const place = 2 * (row * columns + column)
  return Buffer.from(bytes.buffer, places[place]!, places[place + 1]! - places[place]!)
}

/** Makes room for so many bytes behind the texts; what stands there already stays. */
export function reserveBytes(texts: Texts, bytes: number): void {
  const needed = texts.usedBytes + bytes
  if (texts.memory !== undefined) texts.bytes = texts.memory.growInPlace(needed)
  else
    texts.bytes = texts.growsInPlace
      ? growInPlace(texts.bytes, needed)
      : ensureCapacity(texts.bytes, texts.bytes.length, needed)
}

/**
 * Writes a column of a record batch behind the texts: its offsets as 32-bit integers from `at` on, then the texts of these rows,
 * for which there is room. Returns where those end.
 */
export function gatherTexts(texts: Texts, rows: Uint32Array, column: number, at: number): number {
  if (texts.memory !== undefined) return texts.memory.gather(texts, rows, column, at)
  const { columns, bytes, places } = texts
  const offsets = new Int32Array(bytes.buffer, at, rows.length + 1)
  const start = at + offsets.byteLength
  let end = start
  offsets[0] = 0
  for (let r = 0; r < rows.length; r++) {
    const place = 2 * (rows[r]! * columns + column)
    bytes.copyWithin(end, places[place]!, places[place + 1]!)
    end += places[place + 1]! - places[place]!
    offsets[r + 1] = end - start
  }
  return end
}

function reservePlaces(texts: Texts, at: number, rows: number): void {
  texts.places = ensureCapacity(texts.places, 2 * texts.columns * at, 2 * texts.columns * (at + rows))
}

/** Writes a column's texts, and their places from `first` on, a row apart. */
function appendColumn(texts: Texts, first: number, data: ColumnView, rows: number): void {
  const { bytes, places } = texts
  const stride = 2 * texts.columns
  const offsets = data.valueOffsets
  const shift = texts.usedBytes - offsets[0]!
  for (let i = 0, place = first; i < rows; i++, place += stride) {
    places[place] = shift + offsets[i]!
    places[place + 1] = shift + offsets[i + 1]!
  }
  bytes.set((data.values as Uint8Array).subarray(offsets[0], offsets[rows]), texts.usedBytes)
  texts.usedBytes = shift + offsets[rows]!
  eachNull(data, rows, (row) => {
    places[first + stride * row] = 1
    places[first + stride * row + 1] = 0
  })
}

/** Calls `visit` with each row that is null. */
export function eachNull(data: ColumnView, rows: number, visit: (row: number) => void): void {
  if (data.nullCount === 0) return
  const bitmap = data.nullBitmap
  for (let row = 0; row < rows; row++) if ((bitmap[row >> 3]! & (1 << (row & 7))) === 0) visit(row)
}
