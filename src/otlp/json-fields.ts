/**
 * Reads fields of an OTLP/JSON message by name and type. As in protobuf's JSON mapping, a field has its lowerCamelCase
 * or its original name, null means absent, and a number may be a string. Every `read…` function throws
 * {@link MalformedError} if the field has another type.
 */

import { shorten } from '../base/text/shorten.js'
import { parseIso8601 } from '../base/time/iso8601.js'
import { MalformedError } from './request.js'

/** An object of a parsed request. The members are not checked yet. */
export type Json = Record<string, unknown>

const originalNames = new Map<string, string>()

/** Returns the name in the .proto file: `time_unix_nano` for `timeUnixNano`. */
function originalName(name: string): string {
  let original = originalNames.get(name)
  if (original === undefined) {
    original = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    originalNames.set(name, original)
  }
  return original
}

const bothNames = (names: readonly string[]) => [...new Set(names.flatMap((name) => [name, originalName(name)]))]

/** Returns a set of known field names, each in lowerCamelCase and in its original form. */
export const fieldNames = (...names: string[]): ReadonlySet<string> => new Set(bothNames(names))

/** Returns names and values of the fields that are not null and not in `known`. */
export const unknownFields = (message: Json, known: ReadonlySet<string>) =>
  Object.keys(message)
    .filter((name) => !known.has(name) && message[name] !== null)
    .map((name): [string, unknown] => [name, message[name]])

const MAX_SHOWN_CHARACTERS = 64

/** Returns a name for error messages: at most 64 characters, well-formed. */
export const abbreviate = (name: string) => shorten(name, MAX_SHOWN_CHARACTERS)

/** Returns the value of a field. Undefined if the field is absent or null. Throws if both names are present. */
export function readField(message: Json, name: string): unknown {
  const original = originalName(name)
  const value = message[name] ?? undefined
  if (original === name) return value
  const other = message[original] ?? undefined
  if (value !== undefined && other !== undefined) throw duplicate(name, name, original)
  return value ?? other
}

/** Works as {@link readField}, for a field that older versions of OTLP call `oldName`. */
export function readRenamedField(message: Json, name: string, oldName: string): unknown {
  const [value, old] = [readField(message, name), readField(message, oldName)]
  if (value !== undefined && old !== undefined) throw duplicate(name, name, oldName)
  return value ?? old
}

const duplicate = (name: string, one: string, other: string) =>
  new MalformedError(`${name} is present twice, as ${one} and as ${other}`)

/**
 * Returns the elements of the lists under all given names. Undefined if no list is present. A single object counts as
 * a list.
 */
export function readList(message: Json, ...names: string[]): unknown[] | undefined {
  const lists = bothNames(names)
    .filter((name) => (message[name] ?? undefined) !== undefined)
    .map((name) => requireList(message[name], name))
  return lists.length === 0 ? undefined : lists.flat()
}

/**
 * Returns a list, or a list with the value as its only element if the value is an object. Throws {@link
 * MalformedError}, with the name, otherwise.
 */
export function requireList(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value
  if (isObject(value)) return [value]
  throw new MalformedError(`${name} is neither a list nor an object`)
}

/** Returns whether a value is an object, and neither null nor an array. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value if it is an object. Throws {@link MalformedError}, with the name, otherwise. */
export function requireObject(value: unknown, name: string): Json {
  if (isObject(value)) return value
  throw new MalformedError(`${name} is not an object`)
}

/** Returns a text field, or the empty text if the field is absent. */
export const readText = (message: Json, name: string) => toText(readField(message, name) ?? '', name)

/**
 * Converts a string, number or boolean to a well-formed string: half of a surrogate pair, such as a cut emoji, becomes
 * U+FFFD. Throws {@link MalformedError}, with the name, for other types.
 */
export function toText(value: unknown, name: string): string {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new MalformedError(`${name} is not a string`)
}

const DIGITS = /^-?\d{1,20}$/
/** Protobuf's JSON mapping accepts fractions and exponents for integers too. */
const WITH_FRACTION_OR_EXPONENT = /^-?\d{1,20}(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Parses an integer, as a number or in quotes. Undefined for any other value, such as a number with a fraction. A
 * bigint keeps all digits. A number beyond 2^53 is already rounded.
 */
export function parseInteger(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined
  if (typeof value !== 'string') return undefined
  if (DIGITS.test(value)) return BigInt(value)
  if (/^-?\d{1,20}\.0+$/.test(value)) return BigInt(value.slice(0, value.indexOf('.')))
  const number = WITH_FRACTION_OR_EXPONENT.test(value) ? Number(value) : Number.NaN
  return Number.isInteger(number) ? number : undefined
}

/** Returns an integer field, or 0 if the field is absent. */
export function readInteger(message: Json, name: string): number {
  const integer = parseInteger(readField(message, name) ?? 0)
  if (integer !== undefined) return Number(integer)
  throw new MalformedError(`${name} is not an integer`)
}

/**
 * Returns nanoseconds since 1970, or 0 if the field is absent. ISO 8601 is truncated to microseconds, as records are
 * stored.
 */
export function readNanos(message: Json, name: string): bigint {
  const value = readField(message, name) ?? 0
  const nanos = parseInteger(value) ?? nanosOfIso8601(value)
  if (nanos !== undefined && nanos >= 0) return BigInt(nanos)
  throw new MalformedError(`${name} is neither nanoseconds since 1970 nor ISO 8601`)
}

function nanosOfIso8601(value: unknown): bigint | undefined {
  const timestampUs = typeof value === 'string' ? parseIso8601(value) : undefined
  return timestampUs === undefined ? undefined : BigInt(timestampUs) * 1000n
}

const HEX = /^(?:[\da-f]{2})*$/i

/**
 * Returns an id in lower-case hexadecimal. OTLP/JSON sends hexadecimal. Protobuf's JSON mapping sends base64, which is
 * recognized by a decoded length of `idBytes`.
 */
export function readId(message: Json, name: string, idBytes: number): string {
  const value = readText(message, name)
  if (HEX.test(value)) return value.toLowerCase()
  const bytes = decodeBase64(value)
  if (bytes?.length === idBytes) return bytes.toString('hex')
  throw new MalformedError(`${name} is neither hexadecimal nor base64 of ${idBytes} bytes`)
}

const BASE64 = /^[\w+/-]*={0,2}$/

/** Decodes base64, standard or URL-safe, with or without padding. Undefined if the text is not base64. */
export function decodeBase64(text: string): Buffer | undefined {
  const isPossible = BASE64.test(text) && text.replace(/=+$/, '').length % 4 !== 1
  return isPossible ? Buffer.from(text, 'base64') : undefined
}
