/**
 * What becomes of a line: one of the outcomes of its scan (table.ts), or one of these. All but OK and BLANK are
 * refusals; VERDICTS in src/ingest/wasm/module.ts gives their names.
 */
export const MISSING_SOURCE: i32 = 5
export const UNKNOWN_SOURCE: i32 = 6
export const INVALID_FIELD: i32 = 7
export const INVALID_TIMESTAMP: i32 = 8
export const TOO_OLD: i32 = 9
export const TOO_FAR_AHEAD: i32 = 10
export const FORBIDDEN_PROJECT: i32 = 11
