/** Outcomes of a line. All but OK and BLANK are refusals, in the order in which they are checked. */

/** Outcomes of a scan. */
export const OK = 0
/** The line has nothing but JSON white space. */
export const BLANK = 1
export const INVALID_JSON = 2
export const NOT_AN_OBJECT = 3
export const TOO_DEEP = 4

/** Outcomes of a check of the fields. */
export const MISSING_SOURCE = 5
export const UNKNOWN_SOURCE = 6
export const INVALID_FIELD = 7
export const INVALID_TIMESTAMP = 8
export const TOO_OLD = 9
export const TOO_FAR_AHEAD = 10
export const FORBIDDEN_PROJECT = 11
