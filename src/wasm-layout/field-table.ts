/**
 * The field table: the result of a scan, a row of 32-bit integers per line. Offsets count from the first input byte.
 *
 *   [outcome, lineStart, lineEnd, integers private to the module up to HEADER_INTS,
 *    then for each field: kind, start, end]
 *
 * A line ends at the newline, exclusive. A carriage return before the newline is white space. The range of a field is
 * the JSON value without surrounding white space. The range of a string excludes the quotes. If a key is repeated, the
 * last value replaces the earlier values completely: a second "request" clears the url of the first. Null counts as
 * absent. If an array is on the path to a field of the metadata, the first element of the array is read (BigQuery-style
 * repeated records). A field that the metadata lacks is read from the record. Other fields of the record are merged
 * into the metadata.
 */

/** Field `source` of the record. The numbers of the fields are their order in a row. */
export const SOURCE = 0
/** Field `id` of the record. */
export const ID = 1
/** Field `project` of the record. */
export const PROJECT = 2
/** Field `metadata` of the record. */
export const METADATA_FIELD = 3
/** The most names that a setting may list for the time field, and for the message field: src/common/field-names.ts. */
export const MAX_NAMES = 8
/** The length in bytes of the longest name allowed there, and of the longest key on a path to a field. */
export const MAX_NAME_BYTES = 64
/** The first of MAX_NAMES fields that can contain the time, in order of preference. */
export const TIMES = 4
/** The first of MAX_NAMES fields that can contain the message. */
export const MESSAGES = TIMES + MAX_NAMES
/**
 * The first of MAX_PATHS fields of the metadata. The host numbers their paths depth first
 * (src/ingest/wasm/metadata-paths.ts).
 */
export const PATHS = MESSAGES + MAX_NAMES
/** The most fields of the metadata, of all sources together. */
export const MAX_PATHS = 32
/** Number of fields in a row of the table. */
export const FIELD_COUNT = PATHS + MAX_PATHS

/** Context of the metadata: the object in which every path to its fields starts. Deeper contexts follow. */
export const METADATA_CONTEXT = 2
/** Contexts are smaller than this. */
export const MAX_CONTEXTS = 64
/** The most keys on paths to fields of the metadata. A key that several paths share counts once. */
export const MAX_PATH_KEYS = 64

/** Kind of a value: missing or null. */
export const ABSENT = 0
/** Kind of a value: a string without escapes: its bytes are the value. */
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

/** Integers of a row before the fields (see the top). Two are unused, so that a row is a multiple of 16 bytes. */
export const HEADER_INTS = 8
/** Integers of a field: kind, start, end. */
export const FIELD_INTS = 3
/** Integers of a whole row. */
export const LINE_INTS = HEADER_INTS + FIELD_INTS * FIELD_COUNT

/** The deepest nesting accepted. The record object is level 1. */
export const MAX_DEPTH = 128
