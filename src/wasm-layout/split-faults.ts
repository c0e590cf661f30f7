/** Faults of a body that cannot be split into records. A split returns the complement (`~`, negative) of a fault. */

/** The body has nothing but JSON white space. */
export const EMPTY = 1
/** The body is neither an object nor an array. */
export const NO_CONTAINER = 2
/** The body ends inside a value. */
export const CUT_OFF = 3
/** An element is missing between two commas, or before a comma. */
export const NO_ELEMENT = 4
/** A comma is missing between two elements. */
export const NO_COMMA = 5
/** Something other than an object follows the value. */
export const NOT_THE_END = 6
/** The body has more records than allowed. */
export const TOO_MANY = 7
/** Another object follows the first: the body is a sequence of objects. */
export const MORE_OBJECTS = 8
/** A value is not JSON. In place of an offset, the number of the record from 1, or 0 if the value is in no record. */
export const DAMAGED = 9
