/**
 * The field table: the result of a scan, one row of 32-bit integers per line. Offsets count from the first input byte.
 *
 *   [outcome, lineStart, lineEnd, then for each field: kind, start, end, then TAIL_INTS integers private to the module]
 *
 * A line ends at its newline, exclusive; a carriage return before it is white space. The range of a field is its JSON
 * value without surrounding white space; the range of a string excludes its quotes. If a key is repeated, its last
 * value replaces the earlier ones completely: a second "request" clears the url of the first. Null counts as absent. If
 * an array is on the path to a hot field, its first element is read (BigQuery-style repeated records). A field that the
 * metadata lacks is read from the record, whose other fields are merged into the metadata.
 */

/** Field `source` of the record. The numbers of the fields are their order in a row. */
export const SOURCE = 0
/** Field `id` of the record. */
export const ID = 1
/** Field `project` of the record. */
export const PROJECT = 2
/** Field `metadata` of the record. */
export const METADATA_FIELD = 3
/**
 * Field `project` of the metadata; of its first element if it is an array. Like the fields below, it is read from the
 * record if the metadata lacks it.
 */
export const METADATA_PROJECT = 4
/** Field `project_ref` of the metadata. */
export const METADATA_PROJECT_REF = 5
/** Field `function_id` of the metadata. */
export const FUNCTION_ID = 6
/** Field `execution_time_ms` of the metadata. */
export const EXECUTION_TIME_MS = 7
/** Field `status_code` in `response` of the metadata. */
export const STATUS_CODE = 8
/** Field `url` in `request` of the metadata. */
export const URL = 9
/** Field `path` in `request` of the metadata. */
export const PATH = 10

/** The most names that a setting may list for the time field, and for the message field; see src/field-names.ts. */
export const MAX_NAMES = 8
/** The length in bytes of the longest name allowed there. */
export const MAX_NAME_BYTES = 64
/** The first of MAX_NAMES fields that can contain the time, in order of preference. */
export const TIMES = 11
/** The first of MAX_NAMES fields that can contain the message. */
export const MESSAGES = TIMES + MAX_NAMES
/** Number of fields in a row of the table. */
export const FIELD_COUNT = MESSAGES + MAX_NAMES

/** Kind of a value: missing or null. */
export const ABSENT = 0
/** Kind of a value: a string without escapes, whose bytes are its value. */
export const STRING = 1
/** Kind of a value: a string with escapes, still to be decoded. */
export const ESCAPED_STRING = 2
/** Kind of a value: a JSON number, kept as text. */
export const NUMBER = 3
/** Kind of a value: an object. */
export const OBJECT = 4
/** Kind of a value: an array that is empty or contains objects only. */
export const ARRAY_OF_OBJECTS = 5
/** Kind of a value: any other array. */
export const ARRAY = 6
/** Kind of a value: true or false. */
export const BOOLEAN = 7

/** Integers of a row before its fields: outcome, line start, line end. */
export const HEADER_INTS = 3
/** Integers of a field: kind, start, end. */
export const FIELD_INTS = 3
/** Integers after the fields: the line's part of the key list, the end of the metadata's members, padding. */
export const TAIL_INTS = 4
/** Integers of a whole row; a row is a multiple of 16 bytes. */
export const LINE_INTS = HEADER_INTS + FIELD_INTS * FIELD_COUNT + TAIL_INTS

/** The deepest nesting accepted; the record object is level 1. */
export const MAX_DEPTH = 128
