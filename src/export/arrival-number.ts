import type { StoredRows } from '../engine/store/export/stored-rows.js'

/** Numbers per head: the first is of the journal, the others of the segments. */
const NUMBERS_PER_HEAD = 2 ** 16

/**
 * Returns the position of a segment or journal among all segments and journals of the source, in order of arrival. On
 * the server, the rows have the position in the column `arrived`, instead of a time. The numbering must never change:
 * later exports identify rows by the number.
 */
export const arrivalNumber = ({ head, part }: Pick<StoredRows, 'head' | 'part'>): number =>
  head * NUMBERS_PER_HEAD + (part === undefined ? 0 : part + 1)

/** Returns the head of a journal's number, or undefined for the number of a segment. */
export const headOfJournalNumber = (arrivalNumber: number): number | undefined =>
  arrivalNumber % NUMBERS_PER_HEAD === 0 ? arrivalNumber / NUMBERS_PER_HEAD : undefined
