/** The names of the top-level fields that hold a record's time and its message. */
import { MAX_NAME_BYTES, MAX_NAMES } from './wasm-layout/field-table.js'

/** Each list is in order of preference: the first field that a record has, not null, is read; the others are kept as metadata. */
export interface FieldNames {
  time: readonly string[]
  message: readonly string[]
}

export const DEFAULT_FIELD_NAMES: FieldNames = { time: ['timestamp'], message: ['event_message', 'message'] }

/** What a list of names is, for messages. */
export const EXPECTED_NAMES = `up to ${MAX_NAMES} names of top-level fields, comma separated, each at most ${MAX_NAME_BYTES} bytes, not id, source, project or metadata`

/** Fields with a meaning of their own. */
const RESERVED = ['id', 'source', 'project', 'metadata']

/** A comma-separated list of names; undefined if it is none, or if a name is that of a field with another meaning. */
export function readFieldNames(text: string): string[] | undefined {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  return names.length <= MAX_NAMES && names.every(isFieldName) ? names : undefined
}

const isFieldName = (name: string): boolean =>
  name !== '' && Buffer.byteLength(name) <= MAX_NAME_BYTES && !RESERVED.includes(name)

/** Both lists, the default in place of one that is not given; undefined if a name is in both. */
export function fieldNamesOf(time = DEFAULT_FIELD_NAMES.time, message = DEFAULT_FIELD_NAMES.message) {
  return time.some((name) => message.includes(name)) ? undefined : { time, message }
}
