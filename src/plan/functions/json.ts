import { numberOfText, RawJson, type Scalar } from '../values/values.js'
import {
  bounded,
  lazy,
  MAX_VALUE_LENGTH,
  nullable,
  prepared,
  queryError,
  type ScalarFunction,
  strict,
  tooLong,
} from './function.js'
import { compactJson, jsonAt, jsonOfField, MAX_STEPS, readJsonPath } from './json-path.js'
import { repeated } from './repeated.js'
import { jsonOf, jsonOfList } from './text-of.js'
import { isJson } from './valid-json.js'

/** Reading JSON: from texts, and from stored JSON values. */
export const JSON_FUNCTIONS = {
  /** The text of a text, number or boolean at a path. Null for an object, a list, null, or damaged JSON. */
  json_value: atPath((found) => {
    if (found.startsWith('"')) return textOfJson(found)
    return found === 'null' || found.startsWith('{') || found.startsWith('[') ? null : found
  }),
  /** The JSON at a path, as compact text. Null for a JSON null. */
  json_query: atPath((found) => (found === 'null' ? null : compactJson(found))),
  /** The JSON of a value, as compact text. An integer beyond 2^53 is a text, which any reader of JSON reads exactly. */
  to_json_string: nullable(1, 'text', (value) => bounded(jsonStringOf(value))),
  /** The object of keys and values: `json_object('ok', 1, 'error', 0)`. If a key occurs twice, the first counts. */
  json_object: nullable([0, Number.POSITIVE_INFINITY], 'json', objectOf),
  /** The value at a path of keys in a JSON value, null if there is none: `field(metadata, 'request', 'method')`. */
  field: fieldOf(scalarOfJson),
  /** The same for functions of texts: a number is the text of its digits as sent by the client. */
  field_text: fieldOf((found) => (isNumber(found) && scalarOfJson(found) !== null ? found : scalarOfJson(found))),
  /**
   * A value in the form of BigQuery's answers: every object that is no element of a list is in a list of length 1. The
   * second argument is true if the value itself is an element.
   */
  repeated: strict([1, 2], ([type]) => type!, repeated),
} as const

function fieldOf(read: (found: string) => Scalar): ScalarFunction {
  return lazy([2, 1 + MAX_STEPS], 'any', ([json], [, ...keys]) => {
    if (!keys.every((key) => typeof key === 'string')) throw queryError('The keys of a field must be texts.')
    return (position) => {
      const value = json!(position)
      const found = value instanceof RawJson ? jsonOfField(value.text, keys) : undefined
      return found === undefined ? null : read(found)
    }
  })
}

function objectOf(...keysAndValues: readonly Scalar[]): RawJson {
  if (keysAndValues.length % 2 !== 0) throw queryError('json_object takes pairs of a key and a value.')
  const keys = new Set<string>()
  const members: string[] = []
  let length = 0
  for (let i = 0; i < keysAndValues.length; i += 2) {
    const key = keysAndValues[i]
    if (typeof key !== 'string') throw queryError('A key of json_object must be a text.')
    if (keys.has(key)) continue
    keys.add(key)
    const member = `${JSON.stringify(key)}:${jsonOf(keysAndValues[i + 1])}`
    length += member.length + 1
    if (length > MAX_VALUE_LENGTH) throw tooLong()
    members.push(member)
  }
  return new RawJson(`{${members.join(',')}}`)
}

const ZERO = 48

/** Whether an integer is from -2^53 through 2^53. */
const isExactInDouble = (value: bigint) => value >= -(2n ** 53n) && value <= 2n ** 53n

/** Only stored JSON has white space between its tokens. */
function jsonStringOf(value: Scalar): string {
  if (typeof value === 'bigint') return isExactInDouble(value) ? String(value) : `"${value}"`
  if (value instanceof RawJson) return compactJson(value.text)
  return Array.isArray(value) ? jsonOfList(value, jsonStringOf) : jsonOf(value)
}

const isNumber = (json: string) => /^[-\d]/.test(json)

function atPath(finish: (found: string) => Scalar): ScalarFunction {
  return prepared([1, 2], 'text', (constants) => {
    const path = constants.length < 2 ? '$' : constants[1]
    const steps = typeof path === 'string' ? readJsonPath(path) : undefined
    if (steps === undefined) throw queryError("A JSON path must be a text like '$.request.method'.")
    if (steps.length > MAX_STEPS) throw queryError(`A JSON path has at most ${MAX_STEPS} steps.`)
    return (value: Scalar) => {
      const json = jsonTextOf(value)
      const found = json === undefined ? undefined : jsonAt(json, steps)
      return found === undefined ? null : finish(found)
    }
  })
}

/** The valid JSON text that a value holds, or undefined. */
function jsonTextOf(value: Scalar): string | undefined {
  if (value instanceof RawJson) return value.text
  if (typeof value !== 'string') return jsonOf(value)
  return isJson(value) ? value : undefined
}

/** The text that JSON spells. A lone surrogate becomes U+FFFD, as in UTF-8. */
const textOfJson = (json: string): string => (JSON.parse(json) as string).toWellFormed()

/** A JSON text as a value: objects and lists stay JSON. Null for null, or for a number beyond the range of doubles. */
export function scalarOfJson(json: string): Scalar {
  const first = json[0]
  // A list may have half a million digits.
  if (json.length === 1 && first >= '0' && first <= '9') return first.charCodeAt(0) - ZERO
  if (first === '"') return textOfJson(json)
  if (first === '{' || first === '[') return new RawJson(json)
  if (json === 'true' || json === 'false') return json === 'true'
  return json === 'null' ? null : (numberOfText(json) ?? null)
}
