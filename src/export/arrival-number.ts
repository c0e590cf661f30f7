import type { Piece } from '../engine/arrow/export/stored-rows.js'

/** Room for the parts of a head; the journal stands in front of them. */
const PARTS = 2 ** 16

/**
 * The place of a piece among all of its source, in order of arrival: what its rows bear on the server in place of a time of
 * arrival. Never changed: it is a part of the name by which a later export knows them.
 */
export const arrivalNumber = ({ head, part }: Pick<Piece, 'head' | 'part'>): number =>
  head * PARTS + (part === undefined ? 0 : part + 1)

/** The head whose journal has this place; undefined where it is that of a segment. */
export const headOfJournalNumber = (place: number): number | undefined =>
  place % PARTS === 0 ? place / PARTS : undefined
