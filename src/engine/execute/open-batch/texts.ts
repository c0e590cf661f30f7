import type { ColumnView } from '../../../arrow-ipc/read-batch.js'
import { ensureCapacity, growInPlace } from '../../../base/memory/growable.js'
import { MIB } from '../../../base/units.js'
import { COLD_COLUMNS } from '../../../common/columns.js'
import type { ColdTexts, TakeMemory } from '../columns/batch.js'

/**
 * Texts of one or more columns of an open batch, as received. The texts of small batches are copied into a shared array
 * of bytes: a single buffer is simpler to grow, reuse and account for than a buffer per column. The texts of large
 * batches may be adopted: adopted texts stay in the memory of the batch. Full `bytes` grow in place or move, and
 * `places` move. A reader that has copied the references keeps reading the same texts.
 */
export interface Texts {
  readonly columns: number
  /** For texts that are only copied: reading a byte of a buffer that grows in place takes V8 half as long again. */
  readonly growsInPlace: boolean
  /** The WebAssembly memory that contains the bytes. Absent if the bytes are in other memory. */
  readonly memory?: TextsMemory
  bytes: Uint8Array<ArrayBuffer>
  /** The end of the texts. The bytes after the end are free. */
  usedBytes: number
  /**
   * For row r, from the index `2 * columns * r` on: start and end of each column's text, in `bytes`, or from
   * {@link ADOPTED} on in the adopted texts. A null has an end below its start.
   */
  places: Uint32Array
  /** In the order of places. Texts are only added. */
  adopted: AdoptedTexts[]
}

/** The first place of adopted texts. */
const ADOPTED = 2 ** 31

/** The texts of a column of a batch, in the memory of the batch. */
interface AdoptedTexts {
  /** The place of the first byte. */
  at: number
  bytes: Uint8Array
}

/** Memory in which WebAssembly copies texts: most texts are copied in less time than a JavaScript call takes. */
export interface TextsMemory {
  /** Returns at least `length` bytes, with the previous content. Arrays returned before become invalid. */
  growInPlace(length: number): Uint8Array<ArrayBuffer>
  /** Does the same as {@link gatherTexts}, for the rows of a batch. */
  gather(texts: Texts, rows: Uint32Array, column: number, at: number): number
}

const FIRST_ROWS = 64
const NO_BYTES = new Uint8Array(0)

/** Returns empty texts for the cold columns, in the order of the schema. */
export const createColdTexts = () => createTexts({ columns: COLD_COLUMNS.length, growsInPlace: true })

/** Returns empty texts for a number of columns, with room for a few rows. */
export function createTexts({ columns, growsInPlace }: Pick<Texts, 'columns' | 'growsInPlace'>): Texts {
  const places = new Uint32Array(2 * columns * FIRST_ROWS)
  return { columns, growsInPlace, bytes: NO_BYTES, usedBytes: 0, places, adopted: [] }
}

/** Returns empty texts in the memory of others, which must not be used any more. */
export function emptied({ columns, growsInPlace, bytes, places }: Texts): Texts {
  return { columns, growsInPlace, bytes, usedBytes: 0, places, adopted: [] }
}

/** Appends `rows` rows of all columns after the first `at` rows. */
export function appendTexts(texts: Texts, at: number, rows: number, batch: readonly ColumnView[]): void {
  const { columns } = texts
  reservePlaces(texts, at, rows)
  reserveBytes(texts, bytesOfTexts(batch, rows))
  batch.forEach((column, i) => {
    appendColumn(texts, 2 * (at * columns + i), column, rows)
  })
}

/**
 * Appends `rows` rows of all columns, none of which is null, after the first `at` rows, and keeps reading the batch's
 * memory.
 */
export function adoptTexts(texts: Texts, at: number, rows: number, batch: readonly ColumnView[]): void {
  reservePlaces(texts, at, rows)
  batch.forEach(({ valueOffsets, values }, i) => {
    const start = ADOPTED + adoptedBytes(texts)
    const bytes = (values as Uint8Array).subarray(valueOffsets[0], valueOffsets[rows])
    texts.adopted.push({ at: start, bytes })
    writePlaces(texts, 2 * (at * texts.columns + i), valueOffsets, start - valueOffsets[0], rows)
  })
}

/** Appends `rows` rows of nulls in all columns after the first `at` rows. */
export function appendNulls(texts: Texts, at: number, rows: number): void {
  reservePlaces(texts, at, rows)
  for (let text = texts.columns * at; text < texts.columns * (at + rows); text++) {
    texts.places[2 * text] = 1
    texts.places[2 * text + 1] = 0
  }
}

/** Bytes of the texts in the first `rows` rows of columns. */
export const bytesOfTexts = (columns: readonly ColumnView[], rows: number): number =>
  columns.reduce((sum, { valueOffsets }) => sum + valueOffsets[rows] - valueOffsets[0], 0)

/** Bytes of all texts. */
export const contentBytes = (texts: Texts): number => texts.usedBytes + adoptedBytes(texts)

function adoptedBytes({ adopted }: Texts): number {
  const last = adopted.at(-1)
  return last === undefined ? 0 : last.at - ADOPTED + last.bytes.length
}

/** Returns the bytes of all texts, in consecutive pieces. */
export const piecesOf = ({ bytes, usedBytes, adopted }: Texts): Uint8Array[] => [
  bytes.subarray(0, usedBytes),
  ...adopted.map((texts) => texts.bytes),
]

/** Returns the places of the first `rows` rows in the joined {@link piecesOf}. */
export function joinedPlaces({ columns, usedBytes, places, adopted }: Texts, rows: number): Uint32Array {
  const joined = places.slice(0, 2 * columns * rows)
  if (adopted.length === 0) return joined
  for (let i = 0; i < joined.length; i++) if (joined[i] >= ADOPTED) joined[i] += usedBytes - ADOPTED
  return joined
}

/** Bytes of memory of texts, unused room included and adopted texts excluded. */
export function textsBytes({ bytes, places }: Texts): number {
  return bytes.byteLength + places.byteLength
}

/** Returns a text, as a view. */
export function textAt(texts: Texts, row: number, column: number): Uint8Array {
  const place = 2 * (row * texts.columns + column)
  const [start, end] = [texts.places[place], texts.places[place + 1]]
  const { at, bytes } = memoryAt(texts, start)
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start - at, end - start)
}

/** Returns the memory with the text that starts at a place. */
function memoryAt({ bytes, adopted }: Texts, place: number): AdoptedTexts {
  return place < ADOPTED ? { at: 0, bytes } : adopted.findLast(({ at }) => at <= place)!
}

/** The most rows, and the bytes with which it stops, of {@link copyTexts}: those of a sealed batch, about. */
const COPIED_ROWS = 512
const COPIED_BYTES = MIB

/**
 * Copies a column's texts from `row` on, none of which is null: up to {@link COPIED_ROWS} rows and before `rows`, and
 * up to the text that reaches {@link COPIED_BYTES}.
 */
export function copyTexts(
  texts: Texts,
  column: number,
  { row, rows }: { row: number; rows: number },
  memory: TakeMemory = Buffer.allocUnsafeSlow,
): ColdTexts {
  const { columns, places } = texts
  const stride = 2 * columns
  const first = 2 * (row * columns + column)
  const most = Math.min(COPIED_ROWS, rows - row)
  const offsets = new Int32Array(most + 1)
  let count = 0
  let end = 0
  for (let place = first; count < most && end < COPIED_BYTES; place += stride) {
    end += places[place + 1] - places[place]
    offsets[++count] = end
  }
  const copy = memory(end)
  for (let i = 0, place = first; i < count; ) {
    // The texts of a batch are adjacent, and are copied together.
    const [at, start] = [offsets[i], places[place]]
    const memory = memoryAt(texts, start)
    const end = memory.at + memory.bytes.length
    let last = places[place + 1]
    for (i++, place += stride; i < count && places[place] === last && last < end; i++, place += stride) {
      last = places[place + 1]
    }
    copy.set(memory.bytes.subarray(start - memory.at, last - memory.at), at)
  }
  return {
    from: row,
    to: row + count,
    offsets: offsets.subarray(0, count + 1),
    bytes: Buffer.from(copy.buffer, copy.byteOffset, end),
  }
}

/** Makes room for that many bytes after the texts. Bytes that are already there are kept. */
export function reserveBytes(texts: Texts, bytes: number): void {
  const needed = texts.usedBytes + bytes
  if (texts.memory !== undefined) texts.bytes = texts.memory.growInPlace(needed)
  else
    texts.bytes = texts.growsInPlace
      ? growInPlace(texts.bytes, needed)
      : ensureCapacity(texts.bytes, texts.bytes.length, needed)
}

/**
 * Writes a column of a record batch after the texts: its offsets as 32-bit integers from `at` on, then the texts of
 * these rows. The caller has reserved the room. Returns the end of the bytes written. WebAssembly writes the column if
 * the texts are in WebAssembly memory.
 */
export function gatherTexts(texts: Texts, rows: Uint32Array, column: number, at: number): number {
  if (texts.memory !== undefined) return texts.memory.gather(texts, rows, column, at)
  const { columns, bytes, places } = texts
  const offsets = new Int32Array(bytes.buffer, at, rows.length + 1)
  const start = at + offsets.byteLength
  let end = start
  offsets[0] = 0
  for (let r = 0; r < rows.length; r++) {
    const place = 2 * (rows[r] * columns + column)
    bytes.copyWithin(end, places[place], places[place + 1])
    end += places[place + 1] - places[place]
    offsets[r + 1] = end - start
  }
  return end
}

function reservePlaces(texts: Texts, at: number, rows: number): void {
  texts.places = ensureCapacity(texts.places, 2 * texts.columns * at, 2 * texts.columns * (at + rows))
}

/** Writes a column's texts, and the places of the texts from the index `first` on, in steps of a row. */
function appendColumn(texts: Texts, first: number, data: ColumnView, rows: number): void {
  const { bytes, places } = texts
  const stride = 2 * texts.columns
  const offsets = data.valueOffsets
  const shift = texts.usedBytes - offsets[0]
  writePlaces(texts, first, offsets, shift, rows)
  bytes.set((data.values as Uint8Array).subarray(offsets[0], offsets[rows]), texts.usedBytes)
  texts.usedBytes = shift + offsets[rows]
  eachNull(data, rows, (row) => {
    places[first + stride * row] = 1
    places[first + stride * row + 1] = 0
  })
}

/** Writes the places of a column's texts, each offset moved by `shift`, from the index `first` on. */
function writePlaces({ columns, places }: Texts, first: number, offsets: Int32Array, shift: number, rows: number) {
  const stride = 2 * columns
  for (let i = 0, place = first; i < rows; i++, place += stride) {
    places[place] = shift + offsets[i]
    places[place + 1] = shift + offsets[i + 1]
  }
}

/** Calls `visit` with each row that is null, ascending. */
export function eachNull(data: ColumnView, rows: number, visit: (row: number) => void): void {
  if (data.nullCount === 0) return
  const bitmap = data.nullBitmap
  for (let row = 0; row < rows; row++) if ((bitmap[row >> 3] & (1 << (row & 7))) === 0) visit(row)
}
