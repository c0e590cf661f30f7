/**
 * Columns of a batch in the Arrow formats, written row by row. Their memory has a fixed size.
 *
 * A row is part of the batch once `rows` of its builder has been increased; until then, the next line overwrites it.
 * Validity bits and null counts are written only for rows that are certain to be counted.
 */
import {
  AREAS,
  BITS,
  CATEGORY,
  COLUMN_BYTES,
  ENTRIES_WORD,
  NULLS_WORD,
  OFFSETS_WORD,
  TEXT,
  TEXTS_WORD,
  TIMESTAMP,
  VALIDITY_WORD,
  VALUES_WORD,
} from '../../src/wasm-layout/batch'
import { batchRows, reserve, reserveRows, reserveTexts } from './regions'

/** Header of a column; src/ingest/wasm/batch-builder.ts reads its first words. */
@unmanaged
export class Column {
  /** Number of null rows. */
  nulls: i32
  /** Bitmap: bit `row`, counted from the lowest bit of the first byte, is 1 if the row has a value. */
  validity: usize
  /** One value per row: 64-bit microseconds, doubles, bytes of flags, 32-bit codes or sets; 0 for a column of texts. */
  values: usize
  /**
   * Offsets of texts, or of the entries of a dictionary: text i is the bytes [offsets[i], offsets[i + 1]) of `texts`.
   */
  offsets: usize
  texts: usize
  /** Number of entries in a dictionary. */
  entries: i32

  /** Hash of each entry, and a table of entry numbers plus one, `slotMask + 1` long; 0 is a free slot. */
  hashes: usize
  slots: usize
  slotMask: u32

  kind: i32
  /** The field that fills a hot column. */
  field: u32
}

/** Slots of the table of an empty dictionary. */
export const INITIAL_SLOTS: u32 = 128

/** Initializes an empty column; its header must be zeroed. */
export function initColumn(column: Column, kind: i32, field: u32): void {
  checkLayout()
  column.kind = kind
  column.field = field
  if (kind != TIMESTAMP && kind != AREAS && kind != BITS) column.validity = reserveRows(1)
  if (kind != TEXT) column.values = reserveRows(valueBytes(kind))
  if (kind == TEXT || kind == CATEGORY) initTexts(column)
  if (kind == CATEGORY) initDictionary(column)
}

function valueBytes(kind: i32): usize {
  if (kind == AREAS) return 1
  return kind == CATEGORY || kind == BITS ? 4 : 8
}

function initTexts(column: Column): void {
  column.offsets = reserveRows(4)
  column.texts = reserveTexts()
}

function initDictionary(column: Column): void {
  column.hashes = reserveRows(4)
  // At most half of the slots are taken, and at least a quarter once the table has grown.
  column.slots = reserve(4 * max(INITIAL_SLOTS, 4 * batchRows))
  column.slotMask = INITIAL_SLOTS - 1
}

/** Fails the build if the class does not have the layout that the host reads. */
// @ts-ignore: decorator
@inline
function checkLayout(): void {
  if (offsetof<Column>() > <usize>COLUMN_BYTES) ERROR('Column is larger than COLUMN_BYTES')
  if (offsetof<Column>('nulls') != 4 * NULLS_WORD) ERROR('NULLS_WORD is wrong')
  if (offsetof<Column>('validity') != 4 * VALIDITY_WORD) ERROR('VALIDITY_WORD is wrong')
  if (offsetof<Column>('values') != 4 * VALUES_WORD) ERROR('VALUES_WORD is wrong')
  if (offsetof<Column>('offsets') != 4 * OFFSETS_WORD) ERROR('OFFSETS_WORD is wrong')
  if (offsetof<Column>('texts') != 4 * TEXTS_WORD) ERROR('TEXTS_WORD is wrong')
  if (offsetof<Column>('entries') != 4 * ENTRIES_WORD) ERROR('ENTRIES_WORD is wrong')
}
