/** Reads AnyValue and KeyValue in OTLP/JSON. A plain JSON value is read unchanged. Throws {@link MalformedError}. */
import {
  abbreviate,
  decodeBase64,
  fieldNames,
  isObject,
  type Json,
  parseInteger,
  readField,
  readText,
  requireList,
  requireObject,
  toText,
  unknownFields,
} from './json-fields.js'
import { type Attributes, MAX_NESTING, MalformedError, nestedTooDeep, type Value } from './request.js'

/** Returns the fields of a message that are not in `known`, then its attributes. The last of equal keys counts. */
export function readAttributes(holder: Json, known: ReadonlySet<string>): Attributes {
  const attributes = readEntries(readField(holder, 'attributes') ?? [], 'attributes', 0)
  const unknown = unknownFields(holder, known)
  return unknown.length === 0 ? attributes : [...readMembers(unknown, 0), ...attributes]
}

/** Reads the entries of a list of KeyValue, of a single KeyValue, or of an object with the entries as members. */
function readEntries(list: unknown, name: string, depth: number): Attributes {
  if (Array.isArray(list)) return list.filter((entry) => entry !== null).map((entry) => readEntry(entry, depth))
  if (!isObject(list)) throw new MalformedError(`${name} is neither a list nor an object`)
  return isKeyValue(list) ? [readEntry(list, depth)] : readMembers(Object.entries(list), depth)
}

const isKeyValue = (object: Json) =>
  typeof object.key === 'string' && 'value' in object && Object.keys(object).length === 2

const readMembers = (members: [string, unknown][], depth: number): Attributes =>
  members.map(([name, value]) => [name.toWellFormed(), readValue(value, depth)])

const KEY_VALUE = fieldNames('key', 'value')

function readEntry(entry: unknown, depth: number): Attributes[number] {
  const keyValue = requireObject(entry, 'an attribute')
  for (const name of KEY_VALUE) if ((keyValue[name] ?? null) === null) refuseUnknownInPlaceOf(name, keyValue)
  return [readText(keyValue, 'key'), readValue(keyValue.value, depth)]
}

/** Throws if a KeyValue without key or value has an unknown field, which may be the key or value, misnamed. */
function refuseUnknownInPlaceOf(name: string, keyValue: Json): void {
  const [unknown] = unknownFields(keyValue, KEY_VALUE)
  if (unknown !== undefined) throw new MalformedError(`an attribute has no ${name}, but ${abbreviate(unknown[0])}`)
}

/**
 * Reads an AnyValue that is `depth` levels deep. The values in an array or object are a level deeper. An object
 * without a known kind, such as `stringValue`, is itself the value.
 */
export function readValue(any: unknown, depth: number): Value {
  if (any === undefined || any === null) return null
  if (typeof any === 'string') return any.toWellFormed()
  if (typeof any !== 'object') return any as number | boolean
  if (Array.isArray(any)) return readElements(any, depth)
  const kinds = Object.keys(any).filter((name) => KINDS.has(name))
  return kinds.length === 0 ? readPlainObject(any as Json, depth) : readOnlyKind(any as Json, kinds, depth)
}

/** Reads the only kind that is not null. */
function readOnlyKind(any: Json, kinds: readonly string[], depth: number): Value {
  const [name, other] = kinds.filter((kind) => any[kind] !== null)
  if (name === undefined) return null
  if (other === undefined) return KINDS.get(name)!(any[name], depth)
  throw new MalformedError(`a value has ${name} and ${other}, but only one can be stored`)
}

function readPlainObject(object: Json, depth: number): Value {
  const members = Object.entries(object)
  if (members.length === 0) return null
  return new Map(readMembers(members, nextDepth(depth)))
}

function readElements(list: readonly unknown[], depth: number): Value[] {
  const inner = nextDepth(depth)
  return list.map((one) => readValue(one, inner))
}

function nextDepth(depth: number): number {
  if (depth === MAX_NESTING) throw nestedTooDeep()
  return depth + 1
}

type Read = (value: unknown, depth: number) => Value

const READERS: Record<string, Read> = {
  stringValue: (value) => toText(value, 'stringValue'),
  boolValue: readBoolean,
  intValue: readIntegerValue,
  doubleValue: readDouble,
  arrayValue: (value, depth) => readElements(Array.isArray(value) ? value : readValues(value, 'arrayValue'), depth),
  kvlistValue: (value, depth) => new Map(readPairs(value, nextDepth(depth))),
  bytesValue: readBytes,
}

const KINDS = new Map(
  Object.entries(READERS).flatMap(([name, read]) =>
    [...fieldNames(name)].map((either): [string, Read] => [either, read]),
  ),
)

/**
 * Returns the list in `values`. Throws if there is no list but an unknown field, which may be the list under a wrong
 * name.
 */
function readValues(value: unknown, name: string): unknown[] {
  const message = requireObject(value, name)
  refuseWithoutValues(message, name)
  return requireList(message.values ?? [], 'values')
}

function readPairs(value: unknown, depth: number): Attributes {
  if (Array.isArray(value)) return readEntries(value, 'values', depth)
  const message = requireObject(value, 'kvlistValue')
  refuseWithoutValues(message, 'kvlistValue')
  return readEntries(message.values ?? [], 'values', depth)
}

function refuseWithoutValues(message: Json, name: string): void {
  const [unknown] = (message.values ?? null) === null ? unknownFields(message, VALUES) : []
  if (unknown !== undefined) throw new MalformedError(`${name} has no values, but ${abbreviate(unknown[0])}`)
}

const VALUES = fieldNames('values')

function readBoolean(value: unknown): Value {
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw new MalformedError('boolValue is not a boolean')
}

/** A number outside of quotes may be beyond 64 bits: the official JavaScript exporter sends 1e21 as an integer. */
function readIntegerValue(value: unknown): Value {
  const integer = parseInteger(value)
  if (integer !== undefined) return integer
  throw new MalformedError('intValue is not an integer')
}

const DOUBLE = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/

function readDouble(value: unknown): Value {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && DOUBLE.test(value)) return Number(value)
  throw new MalformedError('doubleValue is not a number')
}

function readBytes(value: unknown): Value {
  if (typeof value !== 'string') throw new MalformedError('bytesValue is not a string')
  const bytes = decodeBase64(value)
  if (bytes !== undefined) return bytes
  throw new MalformedError('bytesValue is not base64')
}
