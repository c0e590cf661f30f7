/** OTLP in JSON: protobuf's mapping, but ids in hexadecimal and enums as numbers. Names that are not known are passed over. */
import { LogweirError } from '../base/errors.js'
import { quoteLongIntegers } from './long-integers.js'
import {
  type Attributes,
  type Group,
  type LogRecord,
  MAX_NESTING,
  Malformed,
  readOr,
  type Scope,
  tooNested,
  type Value,
} from './request.js'

type Json = Record<string, unknown>

/**
 * The records of a request. Throws {@link Malformed} where they cannot be told apart, and `body_too_large`; one that cannot
 * be read itself is {@link Damaged}.
 */
export function* groupsOfJson(bytes: Uint8Array): Generator<Group, void> {
  const request = objectOf(parse(bytes), 'the body')
  if (request.resourceLogs === undefined && Object.keys(request).length > 0) {
    throw new Malformed('it has no resourceLogs')
  }
  for (const resourceLogs of objectsIn(request, 'resourceLogs')) {
    const resource = attributesIn(objectOf(resourceLogs.resource ?? {}, 'resource'))
    for (const scopeLogs of objectsIn(resourceLogs, 'scopeLogs')) {
      const records = recordsOf(listIn(scopeLogs, 'logRecords'))
      yield { resource, scope: scopeOf(objectOf(scopeLogs.scope ?? {}, 'scope')), records }
    }
  }
}

/** So many objects and arrays a body may hold, what looks like one in a text counted too: each takes memory beyond its bytes. */
const MAX_BRACKETS = 1_000_000
const [OPEN_ARRAY, OPEN_OBJECT] = [0x5b, 0x7b]

function refuseTooMany(bytes: Uint8Array): void {
  let brackets = 0
  for (const byte of bytes) if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) brackets++
  if (brackets <= MAX_BRACKETS) return
  throw new LogweirError(
    'body_too_large',
    `The body holds over ${MAX_BRACKETS} objects and arrays. Nothing of it was taken. Send smaller batches.`,
  )
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Uint8Array): unknown {
  refuseTooMany(bytes)
  try {
    return JSON.parse(quoteLongIntegers(UTF_8.decode(bytes)))
  } catch (error) {
    throw new Malformed(error instanceof SyntaxError ? `it is not JSON: ${error.message}` : 'it is not valid UTF-8')
  }
}

function* recordsOf(records: readonly unknown[]) {
  for (const record of records) {
    yield readOr(
      () => recordOf(objectOf(record, 'a log record')),
      () => jsonOf(record),
    )
  }
}

/** Nothing where it is nested too deep to be written. */
function jsonOf(record: unknown): string {
  try {
    return JSON.stringify(record)
  } catch {
    return ''
  }
}

function scopeOf(scope: Json): Scope {
  return { name: textIn(scope, 'name'), version: textIn(scope, 'version'), attributes: attributesIn(scope) }
}

function recordOf(record: Json): LogRecord {
  return {
    timeUnixNano: nanosIn(record, 'timeUnixNano'),
    observedTimeUnixNano: nanosIn(record, 'observedTimeUnixNano'),
    severityNumber: integerIn(record, 'severityNumber'),
    severityText: textIn(record, 'severityText'),
    eventName: textIn(record, 'eventName'),
    body: anyValue(record.body, 0),
    attributes: attributesIn(record),
    flags: integerIn(record, 'flags'),
    traceId: hexIn(record, 'traceId'),
    spanId: hexIn(record, 'spanId'),
  }
}

const attributesIn = (holder: Json) => entriesOf(listIn(holder, 'attributes'), 0)

function entriesOf(list: readonly unknown[], depth: number): Attributes {
  return list.map((entry) => {
    const keyValue = objectOf(entry, 'an attribute')
    return [textIn(keyValue, 'key'), anyValue(keyValue.value, depth)]
  })
}

/** Of several kinds of one value the first is taken; of none it is null. */
function anyValue(any: unknown, depth: number): Value {
  if (any === undefined || any === null) return null
  const value = objectOf(any, 'a value')
  const kind = KINDS.find((name) => value[name] !== undefined && value[name] !== null)
  return kind === undefined ? null : READERS[kind](value[kind], depth)
}

const READERS = {
  stringValue: (value: unknown) => text(value, 'stringValue'),
  boolValue(value: unknown) {
    if (typeof value === 'boolean') return value
    throw new Malformed('boolValue is no truth value')
  },
  intValue: integerValue,
  doubleValue: doubleValue,
  arrayValue: (value: unknown, depth: number) =>
    valuesIn(value, 'arrayValue', depth).map((one) => anyValue(one, depth + 1)),
  kvlistValue: (value: unknown, depth: number) =>
    new Map(entriesOf(valuesIn(value, 'kvlistValue', depth), depth + 1)) as Value,
  bytesValue: (value: unknown) => Buffer.from(text(value, 'bytesValue'), 'base64') as Uint8Array,
} satisfies Record<string, (value: unknown, depth: number) => Value>

const KINDS = Object.keys(READERS) as (keyof typeof READERS)[]

function valuesIn(value: unknown, name: string, depth: number): unknown[] {
  if (depth === MAX_NESTING) throw tooNested()
  return listIn(objectOf(value, name), 'values')
}

const INTEGER = /^-?\d{1,20}$/

/** A number that stands bare keeps what is left of it: the official JavaScript exporter sends 1e21 as an integer. */
function integerValue(value: unknown): Value {
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'string' && INTEGER.test(value)) return BigInt(value)
  throw new Malformed('intValue is no integer')
}

const DOUBLE = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/

function doubleValue(value: unknown): Value {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && DOUBLE.test(value)) return Number(value)
  throw new Malformed('doubleValue is no number')
}

const NANOS = /^\d{1,20}$/

function nanosIn(holder: Json, name: string): bigint {
  const value = holder[name] ?? 0
  if (NANOS.test(String(value)) && typeof value !== 'object') return BigInt(String(value))
  throw new Malformed(`${name} is no count of nanoseconds`)
}

function integerIn(holder: Json, name: string): number {
  const value = holder[name] ?? 0
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new Malformed(`${name} is no integer`)
}

const HEX = /^(?:[\da-f]{2})*$/i

function hexIn(holder: Json, name: string): string {
  const value = textIn(holder, name)
  if (HEX.test(value)) return value.toLowerCase()
  throw new Malformed(`${name} is not hexadecimal`)
}

const textIn = (holder: Json, name: string) => text(holder[name] ?? '', name)

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new Malformed(`${name} is no text`)
}

function listIn(holder: Json, name: string): unknown[] {
  const value = holder[name] ?? []
  if (Array.isArray(value)) return value
  throw new Malformed(`${name} is no array`)
}

const objectsIn = (holder: Json, name: string) => listIn(holder, name).map((one) => objectOf(one, `one of ${name}`))

function objectOf(value: unknown, name: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Malformed(`${name} is no object`)
}
