import type { StoredRows } from '../engine/arrow/export/stored-rows.js'

/** Numbers per head: the first is of its journal, the others of its segments. */
const NUMBERS_PER_HEAD = 2 ** 16

/**
 * Returns the position of a segment or journal among all of its source, in order of arrival. Its rows have it
 * in the column `arrived` on the server, instead of a time. The numbering must never change: later exports
 * identify rows by it.
 */
export const arrivalNumber = ({ head, part }: Pick<StoredRows, 'head' | 'part'>): number =>
  head * NUMBERS_PER_HEAD + (part === undefined ? 0 : part + 1)

/** Returns the head of a number if it is that of a journal; undefined if it is that of a segment. */
export const headOfJournalNumber = (arrivalNumber: number): number | undefined =>
  arrivalNumber % NUMBERS_PER_HEAD === 0 ? arrivalNumber / NUMBERS_PER_HEAD : undefined
