/** Layout of a batch builder's header, and of its columns' headers, which follow it. Words are 32-bit integers. */

/** Kinds of columns; all but TIMESTAMP are the HotKind of src/engine/columns.ts. */
export const CATEGORY = 0
export const TEXT = 1
export const NUMBER = 2
export const AREAS = 3
export const TIMESTAMP = 4

/** Numbers of the columns that every builder has. Its hot columns follow from HOT on. */
export const TIMESTAMPS = 0
export const PROJECTS = 1
export const IDS = 2
export const EVENT_MESSAGES = 3
export const METADATA = 4
export const HOT = 5

/** Bytes of a builder's header. */
export const BUILDER_BYTES = 32
/** The word that counts the rows of the current batch. */
export const ROWS_WORD = 0

/** Bytes of a column's header. */
export const COLUMN_BYTES = 64
/** Words of a column's header that the host reads; class Column in wasm/batch/columns.ts describes them. */
export const NULLS_WORD = 0
export const VALIDITY_WORD = 1
export const VALUES_WORD = 2
export const OFFSETS_WORD = 3
export const TEXTS_WORD = 4
export const ENTRIES_WORD = 5
