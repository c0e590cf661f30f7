/**
 * Fields of an OTLP/JSON message by name and type. As in protobuf's JSON mapping, a field has its lowerCamelCase or its
 * original name, null means absent, and a number may be a string. Every function throws {@link Malformed} on another type.
 */
import { parseIso8601 } from '../base/iso8601.js'
import { Malformed } from './request.js'

export type Json = Record<string, unknown>

const originalNames = new Map<string, string>()

/** `time_unix_nano` for `timeUnixNano`. */
function originalNameOf(name: string): string {
  let original = originalNames.get(name)
  if (original === undefined) {
    original = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    originalNames.set(name, original)
  }
  return original
}

const bothNamesOf = (names: readonly string[]) => [...new Set(names.flatMap((name) => [name, originalNameOf(name)]))]

/** The fields of a message that are read, or known and not stored. */
export const fieldNames = (...names: string[]): ReadonlySet<string> => new Set(bothNamesOf(names))

/** The fields that are present and not among `known`. */
export const unknownFields = (holder: Json, known: ReadonlySet<string>) =>
  Object.keys(holder)
    .filter((name) => !known.has(name) && holder[name] !== null)
    .map((name): [string, unknown] => [name, holder[name]])

const SHOWN_LENGTH = 64

/** A name for messages to the sender. */
export const shownName = (name: string) =>
  (name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name).toWellFormed()

/** The value of a field; undefined if it is absent or null. Throws if it is there under both of its names. */
export function fieldIn(holder: Json, name: string): unknown {
  const original = originalNameOf(name)
  const value = holder[name] ?? undefined
  if (original === name) return value
  const other = holder[original] ?? undefined
  if (value !== undefined && other !== undefined) throw twice(name, name, original)
  return value ?? other
}

/** As {@link fieldIn}, of a field that older versions of OTLP called `oldName`. */
export function renamedIn(holder: Json, name: string, oldName: string): unknown {
  const [value, old] = [fieldIn(holder, name), fieldIn(holder, oldName)]
  if (value !== undefined && old !== undefined) throw twice(name, name, oldName)
  return value ?? old
}

const twice = (name: string, one: string, other: string) =>
  new Malformed(`${name} is there twice, as ${one} and as ${other}`)

/**
 * The elements of a list, of all its names together. One object counts as a list of one. Undefined if no name is there.
 */
export function listIn(holder: Json, ...names: string[]): unknown[] | undefined {
  const lists = bothNamesOf(names)
    .filter((name) => (holder[name] ?? undefined) !== undefined)
    .map((name) => listOf(holder[name], name))
  return lists.length === 0 ? undefined : lists.flat()
}

export function listOf(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value
  if (isObject(value)) return [value]
  throw new Malformed(`${name} is neither a list nor an object`)
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function objectOf(value: unknown, name: string): Json {
  if (isObject(value)) return value
  throw new Malformed(`${name} is not an object`)
}

export const textIn = (holder: Json, name: string) => textOf(fieldIn(holder, name) ?? '', name)

/** A string, or what a number or boolean is as one. Half of a surrogate pair, as of an emoji cut in two, becomes U+FFFD. */
export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Malformed(`${name} is not a string`)
}

const DIGITS = /^-?\d{1,20}$/
/** As protobuf's JSON mapping accepts it for integers too. */
const WITH_FRACTION_OR_EXPONENT = /^-?\d{1,20}(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A bare number or one in quotes without a fraction; undefined if it is none. A double beyond 2^53 stays one. */
export function integerOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined
  if (typeof value !== 'string') return undefined
  if (DIGITS.test(value)) return BigInt(value)
  if (/^-?\d{1,20}\.0+$/.test(value)) return BigInt(value.slice(0, value.indexOf('.')))
  const number = WITH_FRACTION_OR_EXPONENT.test(value) ? Number(value) : Number.NaN
  return Number.isInteger(number) ? number : undefined
}

export function integerIn(holder: Json, name: string): number {
  const integer = integerOf(fieldIn(holder, name) ?? 0)
  if (integer !== undefined) return Number(integer)
  throw new Malformed(`${name} is not an integer`)
}

/** Nanoseconds since the epoch; 0 if the field is absent. ISO 8601 is exact to the microsecond, as records are stored. */
export function nanosIn(holder: Json, name: string): bigint {
  const value = fieldIn(holder, name) ?? 0
  const nanos = integerOf(value) ?? nanosOfIso(value)
  if (nanos !== undefined && nanos >= 0) return BigInt(nanos)
  throw new Malformed(`${name} is neither nanoseconds since 1970 nor ISO 8601`)
}

function nanosOfIso(value: unknown): bigint | undefined {
  const timestampUs = typeof value === 'string' ? parseIso8601(value) : undefined
  return timestampUs === undefined ? undefined : BigInt(timestampUs) * 1000n
}

const HEX = /^(?:[\da-f]{2})*$/i

/** An id in lower-case hexadecimal. OTLP has it so; protobuf's JSON mapping has base64, whose length tells it apart. */
export function idIn(holder: Json, name: string, idBytes: number): string {
  const value = textIn(holder, name)
  if (HEX.test(value)) return value.toLowerCase()
  const bytes = bytesOf(value)
  if (bytes?.length === idBytes) return bytes.toString('hex')
  throw new Malformed(`${name} is neither hexadecimal nor base64 of ${idBytes} bytes`)
}

const BASE64 = /^[\w+/-]*={0,2}$/

/** The bytes of base64, standard or for URLs, with padding or without; undefined if it is none. */
export function bytesOf(text: string): Buffer | undefined {
  const isPossible = BASE64.test(text) && text.replace(/=+$/, '').length % 4 !== 1
  return isPossible ? Buffer.from(text, 'base64') : undefined
}
