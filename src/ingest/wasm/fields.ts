/**
 * The field table: what a scanner says of each line, as plain integers, so that scanners of any make fill it
 * and no object is made a line. Offsets count bytes in the scanner's `bytes`.
 *
 *   [outcome, lineStart, lineEnd, then for each FIELD: kind, start, end, then four words of the module's own]
 *
 * A line runs to its newline, exclusive; a carriage return before it is white space like any other. A field's range is
 * its JSON value without what surrounds it; a string's range excludes its quotes. Of equal keys the last wins, whole:
 * a second "request" forgets the url of the first. Null counts as absent. Of an array on the way to a hot field the
 * first element is read (BigQuery-style repeated records). A field that the metadata lacks is read from the record, whose
 * other fields join the metadata.
 */
export const FIELD = {
  source: 0,
  id: 1,
  project: 2,
  metadata: 3,
  /** Inside metadata, or inside its first element if it is an array, or else in the record itself: */
  metadata_project: 4,
  metadata_project_ref: 5,
  function_id: 6,
  execution_time_ms: 7,
  /** Inside response there: */
  status_code: 8,
  /** Inside request there: */
  url: 9,
  path: 10,
  /** The fields that can hold the time, eight of them, then those that can hold the message; by their default names: */
  timestamp: 11,
  event_message: 19,
  message: 20,
} as const

export const FIELD_COUNT = 27

export const KIND = {
  /** Not there, or null. */
  absent: 0,
  /** A string whose bytes are its value. */
  string: 1,
  /** A string with a backslash in it. */
  escapedString: 2,
  number: 3,
  object: 4,
  /** An array whose elements are all objects (it may be empty). */
  arrayOfObjects: 5,
  /** Any other array. */
  array: 6,
  boolean: 7,
} as const

export const OUTCOME = {
  ok: 0,
  /** Nothing but JSON white space. */
  blank: 1,
  invalidJson: 2,
  notAnObject: 3,
  tooDeep: 4,
} as const

/** The deepest level taken; the record object is level 1. */
export const MAX_DEPTH = 128

/** Integers a line in a field table. */
export const LINE_INTS = 3 + 3 * FIELD_COUNT + 4

/** The slot of a field's kind in a line's table; start and end follow it. */
export const slotOf = (field: number): number => 3 + 3 * field

/**
 * Scans whole lines. The caller writes bytes into `bytes` and calls `scan`; it owns carrying the rest of a cut line
 * to the front. Does not judge UTF-8: that is done over whole chunks, apart.
 */
export interface Scanner {
  /** Working memory, of fixed size; its backing memory may be a WebAssembly module's. */
  readonly bytes: Uint8Array
  /** Room for `maxLines` lines of LINE_INTS each. */
  readonly table: Int32Array
  readonly maxLines: number
  /**
   * Scans the lines in [start, end), at most `maxLines`; `end` lies behind a newline, or at the end of the last line.
   * Fills `table` from its start and returns the number of lines; the next call starts behind the last of them,
   * at `lineEnd + 1`.
   */
  scan(start: number, end: number): number
}
