/**
 * OTLP in JSON: protobuf's JSON mapping, but ids in hexadecimal and enums as numbers. What other exporters send instead is
 * read if it can mean one thing only; docs/otlp.md lists it. Nothing that may be a record is passed over.
 */
import { LogweirError } from '../base/errors.js'
import {
  fieldIn,
  fieldNames,
  idIn,
  integerIn,
  integerOf,
  type Json,
  listIn,
  nanosIn,
  objectOf,
  renamedIn,
  shownName,
  textIn,
  unknownFields,
} from './json-fields.js'
import { anyValue, attributesIn } from './json-values.js'
import { quoteLongIntegers } from './long-integers.js'
import { refuseRepeatedLists } from './repeated-lists.js'
import { createScope, type Damaged, type Group, type LogRecord, Malformed, readOr, type Scope } from './request.js'
import { severityNumberOf } from './severity.js'

/**
 * The records of a request. Throws {@link Malformed} if they cannot be told apart, and `body_too_large`; a record that
 * cannot be read is {@link Damaged}.
 */
export function* groupsOfJson(bytes: Uint8Array): Generator<Group, void> {
  const { elements, strays } = elementsOf(objectOf(parse(bytes), 'the body'), REQUEST, 'it')
  for (const resourceLogs of elements) yield* groupsOf(messageOf(resourceLogs, 'resourceLogs'))
  if (strays.length > 0) yield { resource: [], scope: createScope(), records: strays }
}

function* groupsOf(resourceLogs: Json): Generator<Group, void> {
  const resource = resourceOf(objectOf(fieldIn(resourceLogs, 'resource') ?? {}, 'resource'))
  const { elements, strays } = elementsOf(resourceLogs, RESOURCE_LOGS, 'an element of resourceLogs')
  for (const element of elements) {
    const scopeLogs = messageOf(element, 'scopeLogs')
    const scope = scopeOf(objectOf(renamedIn(scopeLogs, 'scope', 'instrumentationLibrary') ?? {}, 'scope'))
    const records = elementsOf(scopeLogs, SCOPE_LOGS, 'an element of scopeLogs')
    yield { resource, scope, records: recordsOf(records.elements, records.strays) }
  }
  if (strays.length > 0) yield { resource, scope: createScope(), records: strays }
}

/** A message that holds records: the names of their list, the first of which is today's, and its other fields. */
interface Level {
  names: readonly string[]
  known: ReadonlySet<string>
}

const level = (names: readonly string[], others: readonly string[]): Level => ({
  names,
  known: fieldNames(...names, ...others),
})

const REQUEST = level(['resourceLogs'], [])
const RESOURCE_LOGS = level(['scopeLogs', 'instrumentationLibraryLogs'], ['resource', 'schemaUrl'])
const SCOPE_LOGS = level(['logRecords', 'logs'], ['scope', 'instrumentationLibrary', 'schemaUrl'])

/**
 * The elements of the list, and what unknown fields hold in its place. Throws if there are unknown fields and no list: its
 * name may be wrong.
 */
function elementsOf(message: Json, { names, known }: Level, what: string): { elements: unknown[]; strays: Damaged[] } {
  const elements = listIn(message, ...names)
  const unknown = unknownFields(message, known)
  if (elements === undefined && unknown.length > 0) {
    throw new Malformed(`${what} has no ${names[0]}, but ${shownName(unknown[0]![0])}`)
  }
  return { elements: elements ?? [], strays: unknown.flatMap(([name, value]) => straysIn(name, value, names[0]!)) }
}

/** Whatever may be records: each element of a list, or an object. */
function straysIn(name: string, value: unknown, expected: string): Damaged[] {
  if (typeof value !== 'object' || Object.keys(value!).length === 0) return []
  const what = `${shownName(name)} is not a field here; records are read from ${expected} only`
  return (Array.isArray(value) ? value : [value]).map((one) => ({ what, text: jsonOf(one) }))
}

/** An element of a list of messages; null stands for an empty one. */
const messageOf = (element: unknown, list: string) => objectOf(element ?? {}, `an element of ${list}`)

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

/** Bytes that are not UTF-8, such as those of a character that was cut in two, become U+FFFD. */
const UTF_8 = new TextDecoder()

function parse(bytes: Uint8Array): unknown {
  refuseTooMany(bytes)
  const text = quoteLongIntegers(UTF_8.decode(bytes))
  const parsed = parsedOf(text)
  refuseRepeatedLists(text, parsed)
  return parsed
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Malformed(`it is not JSON: ${(error as Error).message}`)
  }
}

function* recordsOf(records: readonly unknown[], strays: readonly Damaged[]) {
  for (const record of records) {
    yield readOr(
      () => recordOf(objectOf(record, 'a log record')),
      () => jsonOf(record),
    )
  }
  yield* strays
}

/** Empty if it is nested too deep to be written. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

const RESOURCE = fieldNames('attributes', 'droppedAttributesCount', 'entityRefs')
const SCOPE = fieldNames('name', 'version', 'attributes', 'droppedAttributesCount')
const LOG_RECORD = fieldNames(
  'timeUnixNano',
  'observedTimeUnixNano',
  'severityNumber',
  'severityText',
  'eventName',
  'body',
  'attributes',
  'droppedAttributesCount',
  'flags',
  'traceId',
  'spanId',
)

const resourceOf = (resource: Json) => attributesIn(resource, RESOURCE)

function scopeOf(scope: Json): Scope {
  return { name: textIn(scope, 'name'), version: textIn(scope, 'version'), attributes: attributesIn(scope, SCOPE) }
}

function recordOf(record: Json): LogRecord {
  return {
    timeUnixNano: nanosIn(record, 'timeUnixNano'),
    observedTimeUnixNano: nanosIn(record, 'observedTimeUnixNano'),
    severityNumber: severityIn(record),
    severityText: textIn(record, 'severityText'),
    eventName: textIn(record, 'eventName'),
    body: anyValue(record.body, 0),
    attributes: attributesIn(record, LOG_RECORD),
    flags: integerIn(record, 'flags'),
    traceId: idIn(record, 'traceId', 16),
    spanId: idIn(record, 'spanId', 8),
  }
}

/** By number, as OTLP has it, or by name, as protobuf's JSON mapping has enums. */
function severityIn(record: Json): number {
  const value = fieldIn(record, 'severityNumber') ?? 0
  const number = integerOf(value) ?? (typeof value === 'string' ? severityNumberOf(value) : undefined)
  if (number !== undefined) return Number(number)
  throw new Malformed('severityNumber is neither an integer nor a name of OTLP')
}
