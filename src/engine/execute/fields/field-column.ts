import { ensureCapacity } from '../../../base/memory/growable.js'
import { Interner } from '../../../base/memory/interner.js'
import { scalarOfJson } from '../../../plan/functions/json.js'
import type { Scalar } from '../../../plan/values/values.js'
import type { TextColumn } from '../columns/batch.js'
import { bytesOfDictionary, type Codes, type Dictionary, entryOf } from '../columns/dictionary.js'
import type { StoredField } from '../columns/field-path.js'
import type { KeyBytes } from '../columns/key-bytes.js'

/** The code of a row until its value is read. */
const UNREAD = 0
/** The code of a row without a value. */
export const NONE = 1
/** The code of a row with a value too long to be cached: the value is read from the metadata each time. */
const NOT_CACHED = 2

/** The code of the first value. */
export const FIRST_VALUE = 3

/** Entries that no value has, for the codes above: no UTF-8 text has any of these bytes. */
export const RESERVED = Uint8Array.of(0xff, 0xfe, 0xfd)
const QUOTE = 0x22

/** A longer value is not cached. */
export const MAX_VALUE_BYTES = 1024
/** Most codes that two bytes can tell apart. */
const SHORT_CODES = 2 ** 16

/**
 * The values of a field in the rows of a part, as far as the rows were read: a code for each row, and the distinct
 * values. The entry of a text is a quote and the bytes of the text. The entry of another value is its JSON, which does
 * not start with a quote.
 */
export class FieldColumn {
  #codes: Codes
  readonly #entries = new Interner()
  /** The distinct values, if all were set at once. */
  #stored: Dictionary | undefined
  readonly #limitBytes: number
  /** Whether no row is read yet. */
  isEmpty = true
  /** Whether a value was too long to be cached, or the column is full. */
  hasUncached = false
  /** Whether all values so far are texts. */
  hasOnlyTexts = true

  /** For so many rows. New values are not cached once the distinct values take `limitBytes`. */
  constructor(rows: number, limitBytes: number) {
    this.#codes = new Uint16Array(rows)
    this.#limitBytes = limitBytes
    for (let code = 0; code < FIRST_VALUE; code++) this.#entries.intern(RESERVED, code, code + 1)
  }

  /** Makes room for rows that an open head has received since. */
  reserve(rows: number): void {
    this.#codes = ensureCapacity(this.#codes, this.#codes.length, rows)
  }

  isRead(row: number): boolean {
    return this.#codes[row] !== UNREAD
  }

  setNone(row: number): void {
    this.isEmpty = false
    this.#codes[row] = NONE
  }

  /** Sets the value of a row: the bytes of an entry. */
  set(row: number, bytes: Uint8Array, start: number, end: number): void {
    const hasRoom = end - start <= MAX_VALUE_BYTES && this.#entries.byteLength <= this.#limitBytes
    const code = hasRoom ? this.#entries.intern(bytes, start, end) : this.#entries.find(bytes, start, end)
    if (code >= SHORT_CODES && this.#codes instanceof Uint16Array) this.#codes = new Uint32Array(this.#codes)
    if (code < 0) this.hasUncached = true
    if (bytes[start] !== QUOTE) this.hasOnlyTexts = false
    this.isEmpty = false
    this.#codes[row] = code < 0 ? NOT_CACHED : code
  }

  /** Sets the values of all rows. Snapshots that were taken before do not change. */
  fill({ codes, dictionary, hasOnlyTexts }: StoredField): void {
    this.#codes = codes
    this.#stored = dictionary
    this.isEmpty = false
    this.hasUncached = false
    this.hasOnlyTexts = hasOnlyTexts
  }

  /** Whether the values of all rows were set at once. No row may be set then. */
  get isFilled(): boolean {
    return this.#stored !== undefined
  }

  /** Bytes of memory. */
  get byteLength(): number {
    return this.#codes.byteLength + this.valueBytes
  }

  /** Bytes of memory of the distinct values. */
  get valueBytes(): number {
    return this.#entries.byteLength + (this.#stored === undefined ? 0 : bytesOfDictionary(this.#stored))
  }

  /** The present state of the column. Rows that are read later do not change the snapshot. */
  snapshot(): TextColumn {
    const { count, offsets, bytes, hasNewlines } = this.#stored ?? this.#entries
    return { kind: 'text', codes: this.#codes, dictionary: { count, offsets, bytes, hasNewlines } }
  }
}

/** Whether the value of a row with this code is not cached, and must be read from the metadata. */
export const isUncached = (code: number): boolean => code === NOT_CACHED

/**
 * Returns the value of a code, null if the value is not cached. `isText` returns a number as the digits that were sent.
 */
export function valueOfCode(dictionary: Dictionary, code: number, isText: boolean): Scalar {
  if (code < FIRST_VALUE) return null
  const entry = entryOf(dictionary, code)
  if (entry[0] === QUOTE) return entry.toString('utf8', 1)
  const json = entry.toString()
  const value = scalarOfJson(json)
  return isText && (typeof value === 'number' || typeof value === 'bigint') ? json : value
}

/** Returns the bytes of the text of a code, in a column of texts alone. Undefined if there is no value. */
export function textOfCode(dictionary: Dictionary, code: number): Buffer | undefined {
  return code < FIRST_VALUE ? undefined : entryOf(dictionary, code).subarray(1)
}

/** Adds the text of a code, in a column of texts alone, or null to the keys of a group. */
export function addTextKey({ bytes, offsets }: Dictionary, code: number, keys: KeyBytes): void {
  // The text is behind its quote.
  if (code < FIRST_VALUE) keys.add(null)
  else keys.addPart(bytes, offsets[code] + 1, offsets[code + 1] - 1)
}
