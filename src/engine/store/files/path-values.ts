import type { Codes, Dictionary } from '../../execute/columns/dictionary.js'
import type { StoredField } from '../../execute/columns/field-path.js'
import { FIRST_VALUE, NONE, RESERVED } from '../../execute/fields/field-column.js'
import { fromBuffer } from '../segment/zstd.js'
import type { ReadColumn } from './hot-columns.js'

// Converts path columns from Arrow's form to the form of a `FieldColumn`.

/** Values are texts, or JSON, or numbers of elements as JSON. */
export type Values = 'texts' | 'json' | 'counts'

/** The byte that begins the entry of a text. */
export const QUOTE = 0x22
const NEWLINE = 0x0a

/** Returns codes for indices. Reuses the memory of the indices if the codes fit. */
export function fieldCodes({ rows, nulls, validity, values }: ReadColumn, count: number): Codes {
  const { buffer, byteOffset, length } = values
  const indices = length === rows ? values : new Uint16Array(buffer, byteOffset, rows)
  const fits = length > rows || count <= 2 ** 8
  const codes = fits ? narrow(indices, rows) : new Uint16Array(rows)
  for (let row = 0; row < rows; row++) codes[row] = indices[row] + FIRST_VALUE
  if (nulls > 0) {
    for (let row = 0; row < rows; row++) if ((validity[row >> 3] & (1 << (row & 7))) === 0) codes[row] = NONE
  }
  return codes
}

const narrow = (indices: Uint8Array | Uint16Array, rows: number): Uint8Array | Uint16Array =>
  indices instanceof Uint16Array ? indices : new Uint8Array(indices.buffer, indices.byteOffset, rows)

/** Returns the dictionary of Arrow's entries: the reserved entries first, and a quote before each text. */
export function fieldEntries(
  offsetsBuffer: Buffer,
  textsBuffer: Buffer,
  values: Values,
): Pick<StoredField, 'dictionary' | 'hasOnlyTexts'> {
  const ends = fromBuffer(offsetsBuffer)
  const texts = fromBuffer(textsBuffer)
  const entries = ends.length / 4 - 1
  const first = FIRST_VALUE
  // A quote, and a newline behind.
  const bytes = Buffer.allocUnsafeSlow(2 * first + texts.length + 2 * entries)
  const offsets = new Uint32Array(first + entries + 1)
  let at = 0
  for (const byte of RESERVED) {
    bytes[at++] = byte
    bytes[at++] = NEWLINE
    offsets[at / 2] = at
  }
  for (let entry = 0; entry < entries; entry++) {
    at = writeEntry(bytes, at, texts.subarray(ends.readInt32LE(4 * entry), ends.readInt32LE(4 * entry + 4)), values)
    bytes[at++] = NEWLINE
    offsets[first + entry + 1] = at
  }
  // Texts among other values are spelled with escapes.
  const hasNewlines = values !== 'texts' || texts.includes(NEWLINE)
  const dictionary: Dictionary = { count: first + entries, offsets, bytes, hasNewlines }
  return { dictionary, hasOnlyTexts: values === 'texts' }
}

/** Writes an entry, and returns the place behind. The entry takes at most a byte more than Arrow's. */
function writeEntry(bytes: Buffer, at: number, entry: Buffer, values: Values): number {
  if (values === 'texts') {
    bytes[at] = QUOTE
    return at + 1 + entry.copy(bytes, at + 1)
  }
  // JSON of a text takes two bytes more than the text without escapes.
  if (entry[0] === QUOTE) return at + bytes.write(`"${JSON.parse(entry.toString())}`, at)
  return at + entry.copy(bytes, at)
}
