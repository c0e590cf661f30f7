/** Kinds of a value that was read from the metadata of a row. */

/** Kind of a value: the path leads nowhere, or to null, or to a number beyond the range of doubles. */
export const ABSENT = 0
/** Kind of a value: a string, decoded to UTF-8. */
export const TEXT = 1
/** Kind of a value: a number, as spelled. */
export const NUMBER = 2
/** Kind of a value: `true` or `false`. */
export const BOOLEAN = 3
/** Kind of a value: an object or a list, as spelled. */
export const JSON_VALUE = 4
