import { FIELD_COUNT } from '../../../src/wasm-layout/field-table.js'
import { FIELD, slotOf } from '../field-table.js'

/** Maps keys to fields; the meaning of a key depends on the object that contains it. */

/** The objects that contain fields. */
export const CONTEXT = { other: 0, record: 1, metadata: 2, request: 3, response: 4 } as const

/** Keys of objects that contain fields but have no place in the table themselves. */
const REQUEST = FIELD_COUNT
const RESPONSE = FIELD_COUNT + 1
/** Any other key. */
export const NO_FIELD = FIELD_COUNT + 2

const KEYS: readonly (readonly [context: number, key: string, field: number])[] = [
  [CONTEXT.record, 'source', FIELD.source],
  [CONTEXT.record, 'id', FIELD.id],
  [CONTEXT.record, 'timestamp', FIELD.timestamp],
  [CONTEXT.record, 'project', FIELD.project],
  [CONTEXT.record, 'event_message', FIELD.event_message],
  [CONTEXT.record, 'metadata', FIELD.metadata],
  [CONTEXT.record, 'message', FIELD.message],
  [CONTEXT.record, 'project_ref', FIELD.metadata_project_ref],
  [CONTEXT.record, 'function_id', FIELD.function_id],
  [CONTEXT.record, 'execution_time_ms', FIELD.execution_time_ms],
  [CONTEXT.record, 'request', REQUEST],
  [CONTEXT.record, 'response', RESPONSE],
  [CONTEXT.metadata, 'project', FIELD.metadata_project],
  [CONTEXT.metadata, 'project_ref', FIELD.metadata_project_ref],
  [CONTEXT.metadata, 'function_id', FIELD.function_id],
  [CONTEXT.metadata, 'execution_time_ms', FIELD.execution_time_ms],
  [CONTEXT.metadata, 'request', REQUEST],
  [CONTEXT.metadata, 'response', RESPONSE],
  [CONTEXT.request, 'url', FIELD.url],
  [CONTEXT.request, 'path', FIELD.path],
  [CONTEXT.response, 'status_code', FIELD.status_code],
]

/** The context of an object that is the value of this field. */
export const CONTEXT_OF_FIELD = new Uint8Array(NO_FIELD + 1)
CONTEXT_OF_FIELD[FIELD.metadata] = CONTEXT.metadata
CONTEXT_OF_FIELD[REQUEST] = CONTEXT.request
CONTEXT_OF_FIELD[RESPONSE] = CONTEXT.response

/** The key at each place of a perfect hash over context, length and first byte; 255 for none. */
const CANDIDATES = new Uint8Array(256).fill(255)
const NAMES = KEYS.map(([, key]) => Uint8Array.from(Buffer.from(key)))
const FIELDS = Uint8Array.from(KEYS, ([, , field]) => field)
const placeOf = (context: number, length: number, first: number): number =>
  ((context - 1) << 6) | ((length * 9 + first) & 63)

for (const [i, [context, key]] of KEYS.entries()) {
  const place = placeOf(context, key.length, key.charCodeAt(0))
  if (CANDIDATES[place] !== 255) throw new Error(`Two keys share a place: ${key}. Change placeOf.`)
  CANDIDATES[place] = i
}

/** Returns the field of the key bytes[start, end), which has no escapes, in a context other than `other`. */
export function fieldOfKey(bytes: Uint8Array, start: number, end: number, context: number): number {
  const candidate = CANDIDATES[placeOf(context, end - start, bytes[start]!)]!
  if (candidate === 255) return NO_FIELD
  const name = NAMES[candidate]!
  if (name.length !== end - start) return NO_FIELD
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return NO_FIELD
  return FIELDS[candidate]!
}

/** Returns the field of a key with escapes, which is rare. */
export function fieldOfEscapedKey(bytes: Uint8Array, start: number, end: number, context: number): number {
  const key = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start - 1, end - start + 2).toString())
  return KEYS.find(([within, name]) => within === context && name === key)?.[2] ?? NO_FIELD
}

/** The fields for which the value in the metadata wins over the value in the record. */
export const MERGED: ReadonlySet<number> = new Set([
  FIELD.metadata_project_ref,
  FIELD.function_id,
  FIELD.execution_time_ms,
  REQUEST,
  RESPONSE,
])

/** Makes a field absent, and all fields inside it: a second "request" removes the url of the first. */
export function forgetField(table: Int32Array, at: number, field: number): void {
  if (field === REQUEST) for (const inside of [FIELD.url, FIELD.path]) clear(table, at, inside)
  else clear(table, at, field === RESPONSE ? FIELD.status_code : field)
}

function clear(table: Int32Array, at: number, field: number): void {
  table.fill(0, at + slotOf(field), at + slotOf(field + 1))
}
