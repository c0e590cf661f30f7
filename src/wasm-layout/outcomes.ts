/** Outcomes of a line. All but OK and BLANK are refusals, in the order of the checks. */

/** Outcome of a scan: the line is an object. A check of the fields can still refuse the line. */
export const OK = 0
/** Outcome of a scan: the line has nothing but JSON white space. */
export const BLANK = 1
/** Outcome of a scan: the line is not JSON. */
export const INVALID_JSON = 2
/** Outcome of a scan: the line is JSON, but not an object. */
export const NOT_AN_OBJECT = 3
/** Outcome of a scan: the line is nested deeper than MAX_DEPTH. */
export const TOO_DEEP = 4

/** Outcome of a check of the fields: no source is named, and the stream has no default. */
export const MISSING_SOURCE = 5
/** Outcome of a check of the fields: no source can have the name. */
export const UNKNOWN_SOURCE = 6
/** Outcome of a check of the fields: the value of a field has the wrong type. */
export const INVALID_FIELD = 7
/** Outcome of a check of the fields: the time is missing or cannot be read. */
export const INVALID_TIMESTAMP = 8
/** Outcome of a check of the fields: the record is older than the retention, or past the limit of its project. */
export const TOO_OLD = 9
/** Outcome of a check of the fields: the record's time is too far in the future. */
export const TOO_FAR_AHEAD = 10
/** Outcome of a check of the fields: the sender may not write to the record's project. */
export const FORBIDDEN_PROJECT = 11
/**
 * Outcome of a check of the fields, no refusal: an own source can have the name, or is the default, and has no batch
 * builder. The host decides.
 */
export const NEW_SOURCE = 12
