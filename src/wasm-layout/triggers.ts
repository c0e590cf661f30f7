/**
 * The triggers that the host writes for wasm/mask/triggers.ts: tables, then texts, each of TEXT_BYTES:
 *
 *   [length, group, folds, unused], then MAX_TEXT bytes, the end of a longer text
 *
 * `group` is one of eight bits, `folds` is 1 for a text that matches letters in any case, and is in lower case.
 */

/** Bytes of a text that the tables compare: the last ones. */
export const PLACES = 4
/** Entries of a table: the halves of bytes. */
export const HALVES = 16
/** Bytes of all tables: for each place one of low halves and one of high halves, each a bit set of groups by half. */
export const TABLES_BYTES = 128
/** The most texts, and the longest text. */
export const MAX_TEXTS = 256
/** The most bytes of a text that are compared. */
export const MAX_TEXT = 64
/** Bytes of a text with its head. */
export const TEXT_BYTES = 68
