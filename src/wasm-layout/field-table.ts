/**
 * The field table: the result of a scan, one row of 32-bit integers per line. Offsets count from the first input byte.
 *
 * [outcome, lineStart, lineEnd, then for each field: kind, start, end, then TAIL_INTS integers private to the module]
 *
 * A line ends at its newline, exclusive; a carriage return before it is white space. The range of a field is its JSON
 * value without surrounding white space; the range of a string excludes its quotes. If a key is repeated, its last
 * value replaces the earlier ones completely: a second "request" clears the url of the first. Null counts as absent. If
 * an array is on the path to a hot field, its first element is read (BigQuery-style repeated records). A field that the
 * metadata lacks is read from the record, whose other fields are merged into the metadata.
 */

/** Field numbers. */
export const SOURCE = 0
export const ID = 1
export const PROJECT = 2
export const METADATA_FIELD = 3
/** Fields in metadata, or in its first element if it is an array, or else in the record. */
export const METADATA_PROJECT = 4
export const METADATA_PROJECT_REF = 5
export const FUNCTION_ID = 6
export const EXECUTION_TIME_MS = 7
/** A field in `response` there. */
export const STATUS_CODE = 8
/** Fields in `request` there. */
export const URL = 9
export const PATH = 10

/** The most names that a setting may list for the time field, and for the message field; see src/field-names.ts. */
export const MAX_NAMES = 8
/** The longest of these names. */
export const MAX_NAME_BYTES = 64
/** The first of MAX_NAMES fields that can contain the time, in order of preference. */
export const TIMES = 11
/** The first of MAX_NAMES fields that can contain the message. */
export const MESSAGES = TIMES + MAX_NAMES
export const FIELD_COUNT = MESSAGES + MAX_NAMES

/** Kinds of values. Absent: missing or null. */
export const ABSENT = 0
/** A string without escapes: its bytes are its value. */
export const STRING = 1
export const ESCAPED_STRING = 2
export const NUMBER = 3
export const OBJECT = 4
/** An array that is empty or contains objects only. */
export const ARRAY_OF_OBJECTS = 5
/** Any other array. */
export const ARRAY = 6
export const BOOLEAN = 7

/** Integers of a row before its fields: outcome, line start, line end. */
export const HEADER_INTS = 3
/** Integers of a field: kind, start, end. */
export const FIELD_INTS = 3
/**
 * Integers after the fields: the line's part of the key list, the end of the metadata's members, padding to 16 bytes.
 */
export const TAIL_INTS = 4
/** Integers of a row. */
export const LINE_INTS = HEADER_INTS + FIELD_INTS * FIELD_COUNT + TAIL_INTS

/** The deepest nesting accepted; the record object is level 1. */
export const MAX_DEPTH = 128
