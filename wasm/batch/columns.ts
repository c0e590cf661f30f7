/**
 * The columns of a batch, in Arrow's formats: written row by row, of a size that never changes.
 *
 * A row counts once its lane's `rows` has been raised; until then, writing it again replaces it. Validity bits and the
 * number of nulls are only written for rows that will count.
 */
import {
  AREAS,
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

/** A column's header; src/ingest/lanes.ts reads the first words of it. */
@unmanaged
export class Column {
  /** Rows without a value. */
  nulls: i32
  /** Bit `row`, counted from the lowest of the first byte, is 1 where there is a value. */
  validity: usize
  /** One value a row: 64-bit microseconds, doubles, bytes of flags, 32-bit codes; none in a column of texts. */
  values: usize
  /** Of texts, or of a category's dictionary: text i is the bytes [offsets[i], offsets[i + 1]) of `texts`. */
  offsets: usize
  texts: usize
  /** Texts in a category's dictionary. */
  entries: i32

  /** The hash of each entry; a table of entry numbers plus one, `slotMask + 1` long, 0 where a slot is free. */
  hashes: usize
  slots: usize
  slotMask: u32

  kind: i32
  /** The field that a hot column is read from. */
  field: u32
}

/** Slots of an empty dictionary's table. */
export const FIRST_SLOTS: u32 = 128

/** Makes an empty column of the header at `column`, which holds zeros. */
export function initColumn(column: Column, kind: i32, field: u32): void {
  checkLayout()
  column.kind = kind
  column.field = field
  if (kind != TIMESTAMP && kind != AREAS) column.validity = reserveRows(1)
  if (kind != TEXT) column.values = reserveRows(valueBytes(kind))
  if (kind == TEXT || kind == CATEGORY) initTexts(column)
  if (kind == CATEGORY) initDictionary(column)
}

function valueBytes(kind: i32): usize {
  if (kind == AREAS) return 1
  return kind == CATEGORY ? 4 : 8
}

function initTexts(column: Column): void {
  column.offsets = reserveRows(4)
  column.texts = reserveTexts()
}

function initDictionary(column: Column): void {
  column.hashes = reserveRows(4)
  // At most half of the slots are taken, and at least a quarter once there are more than the first ones.
  column.slots = reserve(4 * max(FIRST_SLOTS, 4 * batchRows))
  column.slotMask = FIRST_SLOTS - 1
}

/** Stops the build if the class does not have the layout that the host reads. */
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
