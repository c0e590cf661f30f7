import { MAX_NAME_BYTES, MAX_NAMES } from '../wasm-layout/field-table.js'

/**
 * The names of the top-level fields that contain a record's time and its message, each list in order of preference: the
 * first field that is present and not null is read. The others are kept as metadata.
 */
export interface FieldNames {
  time: readonly string[]
  message: readonly string[]
}

/** The names that are used if the settings give none. */
export const DEFAULT_FIELD_NAMES: FieldNames = { time: ['timestamp'], message: ['event_message', 'message'] }

/** Describes a valid list of names, for error messages. */
export const EXPECTED_NAMES =
  `up to ${MAX_NAMES} names of top-level fields, comma separated, each at most ${MAX_NAME_BYTES} bytes, ` +
  'not id, source, project or metadata'

/** Fields that have another meaning. */
const RESERVED = ['id', 'source', 'project', 'metadata']

/** Parses a comma-separated list of names. Returns undefined if the list is invalid, or if a name is reserved. */
export function readFieldNames(text: string): string[] | undefined {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  return names.length <= MAX_NAMES && names.every(isFieldName) ? names : undefined
}

const isFieldName = (name: string): boolean =>
  name !== '' && Buffer.byteLength(name) <= MAX_NAME_BYTES && !RESERVED.includes(name)

/** Returns both lists, with the default for a list that is not given. Returns undefined if a name is in both. */
export function fieldNamesOf(time = DEFAULT_FIELD_NAMES.time, message = DEFAULT_FIELD_NAMES.message) {
  return time.some((name) => message.includes(name)) ? undefined : { time, message }
}
