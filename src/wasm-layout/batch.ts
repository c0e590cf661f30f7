/** Layout of a batch builder's header, and of the following headers of the columns. Words are 32-bit integers. */

/**
 * Kind of a column: texts with few distinct values, stored as codes of a dictionary. All kinds but TIMESTAMP and BITS
 * are a HotKind.
 */
export const CATEGORY = 0
/** Kind of a column: texts, stored as offsets and bytes. */
export const TEXT = 1
/** Kind of a column: 64-bit floating-point numbers. */
export const NUMBER = 2
/** Kind of a column: a bit set of areas per row. */
export const AREAS = 3
/** Kind of a column: 64-bit microseconds since the epoch. */
export const TIMESTAMP = 4
/** Kind of a column: a set of 32 bits per row. */
export const BITS = 5

/** Number of the column of timestamps. Every builder has this column, like the columns below. */
export const TIMESTAMPS = 0
/** Number of the column of project names. */
export const PROJECTS = 1
/** Number of the column of record ids. */
export const IDS = 2
/** Number of the column of messages. */
export const EVENT_MESSAGES = 3
/** Number of the column of metadata, JSON texts. */
export const METADATA = 4
/** Number of the column of bit sets: bit i is set if the value of hot column i must be read from the metadata. */
export const IN_METADATA = 5
/** Number of the builder's first hot column. The others follow. */
export const HOT = 6

/** Bytes of a builder's header. */
export const BUILDER_BYTES = 48
/** The word that counts the rows of the current batch. */
export const ROWS_WORD = 0
/** The word that counts the rows of the batch with the time of receipt in place of an unreadable time. */
export const UNREADABLE_TIMES_WORD = 3

/** Bytes of a column's header. */
export const COLUMN_BYTES = 64
/** Word of a column's header: the number of nulls. Class Column in wasm/batch/columns.ts describes the words. */
export const NULLS_WORD = 0
/** Word of a column's header: the address of the validity bitmap. */
export const VALIDITY_WORD = 1
/** Word of a column's header: the address of the values, or of the dictionary codes. */
export const VALUES_WORD = 2
/** Word of a column's header: the address of the offsets of the texts, or of the dictionary's texts. */
export const OFFSETS_WORD = 3
/** Word of a column's header: the address of the bytes of the texts, or of the dictionary's texts. */
export const TEXTS_WORD = 4
/** Word of a column's header: the number of dictionary entries. */
export const ENTRIES_WORD = 5
