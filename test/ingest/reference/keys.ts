import { FIELD_COUNT } from '../../../src/wasm-layout/field-table.js'
import { FIELD, METADATA_PATHS, slotOf } from '../field-table.js'

/** Maps keys to fields. The meaning of a key depends on the object that contains the key. */

type Path = readonly string[]

const nameOf = (path: Path): string => JSON.stringify(path)

/** The objects below the metadata that contain fields. The objects have no place in the table themselves. */
const OBJECTS = [
  ...new Map(
    METADATA_PATHS.flatMap((path) => path.slice(1).map((_, i) => path.slice(0, i + 1))).map((path) => [
      nameOf(path),
      path,
    ]),
  ).values(),
]
/** Any other key. */
export const NO_FIELD = FIELD_COUNT + OBJECTS.length

/** The objects that contain fields. The objects of OBJECTS follow. */
export const CONTEXT = { other: 0, record: 1, metadata: 2 } as const

/** The number of each field of the metadata, and of each object with such fields, by path. */
const NUMBERS = new Map<string, number>([
  ...OBJECTS.map((path, i) => [nameOf(path), FIELD_COUNT + i] as const),
  ...METADATA_PATHS.map((path) => [nameOf(path), FIELD[`metadata.${path.join('.')}`]!] as const),
])
if (NUMBERS.size !== OBJECTS.length + METADATA_PATHS.length) throw new Error('A field has fields inside it.')

/** The context of an object that is the value of this field. */
export const CONTEXT_OF_FIELD = new Uint8Array(NO_FIELD + 1)
CONTEXT_OF_FIELD[FIELD.metadata!] = CONTEXT.metadata
for (const i of OBJECTS.keys()) CONTEXT_OF_FIELD[FIELD_COUNT + i] = CONTEXT.metadata + 1 + i

/** The field of each key, by the context. */
const KEYS = new Map<number, Map<string, number>>()
function addKey(context: number, key: string, field: number): void {
  if (!KEYS.has(context)) KEYS.set(context, new Map())
  if (!KEYS.get(context)!.has(key)) KEYS.get(context)!.set(key, field)
}
for (const name of ['source', 'id', 'timestamp', 'project', 'event_message', 'metadata', 'message'])
  addKey(CONTEXT.record, name, FIELD[name]!)
for (const path of [...OBJECTS, ...METADATA_PATHS]) {
  const field = NUMBERS.get(nameOf(path))!
  const outer = path.slice(0, -1)
  const key = path.at(-1)!
  addKey(outer.length === 0 ? CONTEXT.metadata : CONTEXT_OF_FIELD[NUMBERS.get(nameOf(outer))!]!, key, field)
  // Other fields of a record are merged into the metadata.
  if (outer.length === 0) addKey(CONTEXT.record, key, field)
}

/** Returns the field of the key bytes[start, end), which has no escapes, in a context other than `other`. */
export function fieldOfKey(bytes: Uint8Array, start: number, end: number, context: number): number {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
  return KEYS.get(context)!.get(key) ?? NO_FIELD
}

/** Returns the field of a key with escapes, which is rare. */
export function fieldOfEscapedKey(bytes: Uint8Array, start: number, end: number, context: number): number {
  const key = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start - 1, end - start + 2).toString())
  return KEYS.get(context)!.get(key) ?? NO_FIELD
}

/** The fields for which the value in the metadata wins over the value in the record. */
export const MERGED: ReadonlySet<number> = new Set(
  [...OBJECTS, ...METADATA_PATHS]
    .filter((path) => path.length === 1 && path[0] !== 'project')
    .map((path) => NUMBERS.get(nameOf(path))!),
)

/** The fields inside each field, itself included: a second "request" removes the url of the first. */
const INSIDE = new Map<number, number[]>()
for (const path of [...OBJECTS, ...METADATA_PATHS]) {
  const inside = METADATA_PATHS.filter((other) => path.every((key, i) => other[i] === key))
  INSIDE.set(
    NUMBERS.get(nameOf(path))!,
    inside.map((other) => NUMBERS.get(nameOf(other))!),
  )
}

/** Makes a field absent, and all fields inside the field. */
export function forgetField(table: Int32Array, at: number, field: number): void {
  for (const one of INSIDE.get(field) ?? [field]) table.fill(0, at + slotOf(one), at + slotOf(one + 1))
}
