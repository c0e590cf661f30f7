/** AnyValue and KeyValue in OTLP/JSON. A plain JSON value stands for itself. Throws {@link Malformed}. */
import {
  bytesOf,
  fieldIn,
  fieldNames,
  integerOf,
  isObject,
  type Json,
  listOf,
  objectOf,
  shownName,
  textIn,
  textOf,
  unknownFields,
} from './json-fields.js'
import { type Attributes, MAX_NESTING, Malformed, tooNested, type Value } from './request.js'

/** The attributes of a message, and before them its fields that are not among `known`: of equal keys the last counts. */
export function attributesIn(holder: Json, known: ReadonlySet<string>): Attributes {
  const attributes = entriesOf(fieldIn(holder, 'attributes') ?? [], 'attributes', 0)
  const unknown = unknownFields(holder, known)
  return unknown.length === 0 ? attributes : [...membersOf(unknown, 0), ...attributes]
}

/** The entries of a list of KeyValue, of a single one, or of an object whose members are the entries. */
function entriesOf(list: unknown, name: string, depth: number): Attributes {
  if (Array.isArray(list)) return list.filter((entry) => entry !== null).map((entry) => entryOf(entry, depth))
  if (!isObject(list)) throw new Malformed(`${name} is neither a list nor an object`)
  return isKeyValue(list) ? [entryOf(list, depth)] : membersOf(Object.entries(list), depth)
}

const isKeyValue = (object: Json) =>
  typeof object.key === 'string' && 'value' in object && Object.keys(object).length === 2

const membersOf = (members: [string, unknown][], depth: number): Attributes =>
  members.map(([name, value]) => [name.toWellFormed(), anyValue(value, depth)])

const KEY_VALUE = fieldNames('key', 'value')

function entryOf(entry: unknown, depth: number): Attributes[number] {
  const keyValue = objectOf(entry, 'an attribute')
  for (const name of KEY_VALUE) if ((keyValue[name] ?? null) === null) refuseInPlaceOf(name, keyValue)
  return [textIn(keyValue, 'key'), anyValue(keyValue.value, depth)]
}

/** An absent key or value may be what an unknown field holds. */
function refuseInPlaceOf(name: string, keyValue: Json): void {
  const [unknown] = unknownFields(keyValue, KEY_VALUE)
  if (unknown !== undefined) throw new Malformed(`an attribute has no ${name}, but ${shownName(unknown[0])}`)
}

/** Arrays and objects hold values `depth + 1` levels deep. An object that names no kind of value is itself the value. */
export function anyValue(any: unknown, depth: number): Value {
  if (any === undefined || any === null) return null
  if (typeof any === 'string') return any.toWellFormed()
  if (typeof any !== 'object') return any as number | boolean
  if (Array.isArray(any)) return elementsOf(any, depth)
  const kinds = Object.keys(any).filter((name) => KINDS.has(name))
  return kinds.length === 0 ? plainObject(any as Json, depth) : valueOfKind(any as Json, kinds, depth)
}

/** The value of the only kind that is not null. */
function valueOfKind(any: Json, kinds: readonly string[], depth: number): Value {
  const [name, other] = kinds.filter((kind) => any[kind] !== null)
  if (name === undefined) return null
  if (other === undefined) return KINDS.get(name)!(any[name], depth)
  throw new Malformed(`a value has ${name} and ${other}, of which only one could be stored`)
}

function plainObject(object: Json, depth: number): Value {
  const members = Object.entries(object)
  if (members.length === 0) return null
  return new Map(membersOf(members, deeper(depth)))
}

function elementsOf(list: readonly unknown[], depth: number): Value[] {
  const inner = deeper(depth)
  return list.map((one) => anyValue(one, inner))
}

function deeper(depth: number): number {
  if (depth === MAX_NESTING) throw tooNested()
  return depth + 1
}

type Read = (value: unknown, depth: number) => Value

const READERS: Record<string, Read> = {
  stringValue: (value) => textOf(value, 'stringValue'),
  boolValue: booleanValue,
  intValue: integerValue,
  doubleValue: doubleValue,
  arrayValue: (value, depth) => elementsOf(Array.isArray(value) ? value : valuesIn(value, 'arrayValue'), depth),
  kvlistValue: (value, depth) => new Map(pairsOf(value, deeper(depth))),
  bytesValue: bytesValue,
}

const KINDS = new Map(
  Object.entries(READERS).flatMap(([name, read]) =>
    [...fieldNames(name)].map((either): [string, Read] => [either, read]),
  ),
)

/** The list in `values`; a message without it may have it under another name. */
function valuesIn(value: unknown, name: string): unknown[] {
  const message = objectOf(value, name)
  refuseWithoutValues(message, name)
  return listOf(message.values ?? [], 'values')
}

function pairsOf(value: unknown, depth: number): Attributes {
  if (Array.isArray(value)) return entriesOf(value, 'values', depth)
  const message = objectOf(value, 'kvlistValue')
  refuseWithoutValues(message, 'kvlistValue')
  return entriesOf(message.values ?? [], 'values', depth)
}

function refuseWithoutValues(message: Json, name: string): void {
  const [unknown] = (message.values ?? null) === null ? unknownFields(message, VALUES) : []
  if (unknown !== undefined) throw new Malformed(`${name} has no values, but ${shownName(unknown[0])}`)
}

const VALUES = fieldNames('values')

function booleanValue(value: unknown): Value {
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw new Malformed('boolValue is not a boolean')
}

/** A bare number keeps what is left of it: the official JavaScript exporter sends 1e21 as an integer. */
function integerValue(value: unknown): Value {
  const integer = integerOf(value)
  if (integer !== undefined) return integer
  throw new Malformed('intValue is not an integer')
}

const DOUBLE = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/

function doubleValue(value: unknown): Value {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && DOUBLE.test(value)) return Number(value)
  throw new Malformed('doubleValue is not a number')
}

function bytesValue(value: unknown): Value {
  if (typeof value !== 'string') throw new Malformed('bytesValue is not a string')
  const bytes = bytesOf(value)
  if (bytes !== undefined) return bytes
  throw new Malformed('bytesValue is not base64')
}
