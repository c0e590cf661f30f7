import { type Data, type DataType, type Dictionary as DictionaryType, makeData, makeVector, Utf8 } from 'apache-arrow'
import { Interner } from '../base/interner.js'
import { copyBytes } from './bytes.js'
import { doubledBytes, doubledDoubles, doubledInts } from './grow.js'
import { unescapeText } from './text.js'

/**
 * The columns of a batch under construction. Each is written at a row, in any order of columns; a row that is written
 * again replaces what was there, so that a record found faulty halfway leaves nothing behind. `toData` makes the Arrow
 * data of the first `rows` rows, whose buffers are the column's own until it is written again.
 */

/** Timestamps, microseconds: 64-bit integers written as two halves, since a BigInt a row is dear. */
export class TimestampColumn {
  #halves = new Int32Array(128)

  /** `timestampUs`: an integer within ±2^53. */
  set(row: number, timestampUs: number): void {
    this.#halves = doubledInts(this.#halves, 2 * row + 2)
    // Storing cuts a number to its low 32 bits.
    this.#halves[2 * row] = timestampUs
    this.#halves[2 * row + 1] = Math.floor(timestampUs / 2 ** 32)
  }

  toData(rows: number, type: DataType): Data {
    return makeData({ type, length: rows, data: new BigInt64Array(this.#halves.buffer, 0, rows) } as never)
  }
}

/** Texts, one after the other. Rows are written in ascending order. */
export class TextColumn {
  #offsets = new Int32Array(65)
  #values = new Uint8Array(1024)

  /** Bytes of the first `rows` values. */
  byteLength(rows: number): number {
    return this.#offsets[rows]!
  }

  set(row: number, bytes: Uint8Array, start: number, end: number): void {
    const from = this.#reserve(row, end - start)
    copyBytes(bytes, start, end, this.#values, from)
    this.#offsets[row + 1] = from + end - start
  }

  /** Decodes the content of a JSON string; false where it has a lone surrogate. */
  setEscaped(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#reserve(row, end - start)
    const behind = unescapeText(bytes, start, end, this.#values, from)
    this.#offsets[row + 1] = behind < 0 ? ~behind : behind
    return behind >= 0
  }

  #reserve(row: number, length: number): number {
    this.#offsets = doubledInts(this.#offsets, row + 2)
    const from = this.#offsets[row]!
    this.#values = doubledBytes(this.#values, from + length)
    return from
  }

  toData(rows: number, type: DataType, nulls: object = { nullCount: 0 }): Data {
    const valueOffsets = this.#offsets.subarray(0, rows + 1)
    return makeData({ type, length: rows, valueOffsets, data: this.#values, ...nulls } as never)
  }
}

/** Texts of which some are null. */
export class NullableTextColumn {
  readonly #texts = new TextColumn()
  #present = new Uint8Array(64)

  /** Bytes of the first `rows` values. */
  byteLength(rows: number): number {
    return this.#texts.byteLength(rows)
  }

  set(row: number, bytes: Uint8Array, start: number, end: number): void {
    this.#texts.set(row, bytes, start, end)
    this.#mark(row, 1)
  }

  setNull(row: number): void {
    this.#texts.set(row, NO_BYTES, 0, 0)
    this.#mark(row, 0)
  }

  toData(rows: number, type: DataType): Data {
    return this.#texts.toData(
      rows,
      type,
      validity(rows, (row) => this.#present[row] === 1),
    )
  }

  #mark(row: number, present: 0 | 1): void {
    this.#present = doubledBytes(this.#present, row + 1)
    this.#present[row] = present
  }
}

const NO_BYTES = new Uint8Array(0)

/** Texts that repeat: codes into a dictionary of this batch's values; -1 is null. */
export class CodeColumn {
  #codes = new Int32Array(64)
  #dictionary = new Interner(0)

  set(row: number, bytes: Uint8Array, start: number, end: number): void {
    this.#put(row, this.#dictionary.intern(bytes, start, end))
  }

  setNull(row: number): void {
    this.#put(row, -1)
  }

  #put(row: number, code: number): void {
    this.#codes = doubledInts(this.#codes, row + 1)
    this.#codes[row] = code
  }

  toData(rows: number, type: DataType): Data {
    const { count, offsets, bytes } = this.#dictionary
    const valueOffsets = new Int32Array(offsets.buffer, 0, count + 1)
    const text = makeData({ type: new Utf8(), length: count, valueOffsets, data: bytes })
    const codes = this.#codes.subarray(0, rows)
    const nulls = validity(rows, (row) => codes[row]! >= 0)
    const dictionary = makeVector(text)
    return makeData({ type: type as DictionaryType, length: rows, ...nulls, data: codes, dictionary } as never)
  }

  /** Forgets the dictionary. */
  clear(): void {
    this.#dictionary.clear()
  }
}

/** Doubles; NaN is null. */
export class NumberColumn {
  #values = new Float64Array(64)

  set(row: number, value: number): void {
    this.#values = doubledDoubles(this.#values, row + 1)
    this.#values[row] = value
  }

  toData(rows: number, type: DataType): Data {
    const values = this.#values.subarray(0, rows)
    const nulls = validity(rows, (row) => !Number.isNaN(values[row]!))
    return makeData({ type, length: rows, ...nulls, data: values } as never)
  }
}

/** Bytes of flags. */
export class FlagColumn {
  #flags = new Uint8Array(64)

  set(row: number, flags: number): void {
    this.#flags = doubledBytes(this.#flags, row + 1)
    this.#flags[row] = flags
  }

  toData(rows: number, type: DataType): Data {
    return makeData({ type, length: rows, data: this.#flags.subarray(0, rows) } as never)
  }
}

/** Arrow's validity bits: bit `row`, counted from the lowest of the first byte, is 1 where there is a value. */
function validity(rows: number, isValid: (row: number) => boolean) {
  const nullBitmap = new Uint8Array((rows + 7) >> 3)
  let nullCount = rows
  for (let row = 0; row < rows; row++) {
    if (!isValid(row)) continue
    nullBitmap[row >> 3]! |= 1 << (row & 7)
    nullCount--
  }
  return { nullBitmap, nullCount }
}
