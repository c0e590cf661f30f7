/**
 * Reads OTLP in JSON: protobuf's JSON mapping, but ids in hexadecimal and enums as numbers. Other forms that exporters
 * send are read if unambiguous. docs/otlp.md lists the forms. Anything that may be a record is stored or rejected,
 * never skipped.
 */
import { LogweirError } from '../base/errors.js'
import { quoteLongIntegers } from '../base/text/long-integers.js'
import {
  abbreviate,
  fieldNames,
  type Json,
  parseInteger,
  readField,
  readId,
  readInteger,
  readList,
  readNanos,
  readRenamedField,
  readText,
  requireObject,
  unknownFields,
} from './json-fields.js'
import { readAttributes, readValue } from './json-values.js'
import { refuseRepeatedLists } from './repeated-lists.js'
import {
  createScope,
  type LogRecord,
  MalformedError,
  type RecordGroup,
  readOrReport,
  type Scope,
  type UnreadableRecord,
} from './request.js'
import { severityNumberOf } from './severity.js'

/**
 * Reads the records of a request. Throws {@link MalformedError} if the lists around the records cannot be read, and
 * `body_too_large` if the body has over 1,000,000 objects and arrays. A record that cannot be read itself becomes an
 * {@link UnreadableRecord}.
 */
export function* readJson(bytes: Uint8Array): Generator<RecordGroup, void> {
  const { elements, misplaced } = readElements(requireObject(parse(bytes), 'the body'), REQUEST, 'it')
  for (const resourceLogs of elements) yield* readResourceLogs(requireMessage(resourceLogs, 'resourceLogs'))
  if (misplaced.length > 0) yield { resource: [], scope: createScope(), records: misplaced }
}

function* readResourceLogs(resourceLogs: Json): Generator<RecordGroup, void> {
  const resource = readResource(requireObject(readField(resourceLogs, 'resource') ?? {}, 'resource'))
  const { elements, misplaced } = readElements(resourceLogs, RESOURCE_LOGS, 'an element of resourceLogs')
  for (const element of elements) {
    const scopeLogs = requireMessage(element, 'scopeLogs')
    const scope = readScope(
      requireObject(readRenamedField(scopeLogs, 'scope', 'instrumentationLibrary') ?? {}, 'scope'),
    )
    const records = readElements(scopeLogs, SCOPE_LOGS, 'an element of scopeLogs')
    yield { resource, scope, records: readRecords(records.elements, records.misplaced) }
  }
  if (misplaced.length > 0) yield { resource, scope: createScope(), records: misplaced }
}

/** A message with a list of messages or records. */
interface ListMessage {
  /** Names of the list. The first name is the current name. */
  names: readonly string[]
  /** All known fields, the list included. */
  known: ReadonlySet<string>
}

const listMessage = (names: readonly string[], others: readonly string[]): ListMessage => ({
  names,
  known: fieldNames(...names, ...others),
})

const REQUEST = listMessage(['resourceLogs'], [])
const RESOURCE_LOGS = listMessage(['scopeLogs', 'instrumentationLibraryLogs'], ['resource', 'schemaUrl'])
const SCOPE_LOGS = listMessage(['logRecords', 'logs'], ['scope', 'instrumentationLibrary', 'schemaUrl'])

interface Elements {
  elements: unknown[]
  misplaced: UnreadableRecord[]
}

/**
 * Returns the elements of the list, and the elements of unknown fields, which may be misplaced records. Throws if
 * there is no list but an unknown field, which may be the list under a wrong name.
 */
function readElements(message: Json, { names, known }: ListMessage, description: string): Elements {
  const elements = readList(message, ...names)
  const unknown = unknownFields(message, known)
  if (elements === undefined && unknown.length > 0) {
    throw new MalformedError(`${description} has no ${names[0]}, but ${abbreviate(unknown[0][0])}`)
  }
  return {
    elements: elements ?? [],
    misplaced: unknown.flatMap(([name, value]) => findMisplaced(name, value, names[0])),
  }
}

/** Returns everything in an unknown field that may be a record: each element of a list, or an object. */
function findMisplaced(name: string, value: unknown, expected: string): UnreadableRecord[] {
  if (typeof value !== 'object' || Object.keys(value!).length === 0) return []
  const reason = `${abbreviate(name)} is not a field here; records are read from ${expected} only`
  return (Array.isArray(value) ? value : [value]).map((one) => ({ reason, text: toJson(one) }))
}

/** Returns an element of a list of messages. Null is an empty message. Throws if the element is not an object. */
const requireMessage = (element: unknown, list: string) => requireObject(element ?? {}, `an element of ${list}`)

/** Maximum of `{` and `[` in a body, also in strings: each object or array takes memory beyond its bytes. */
const MAX_BRACKETS = 1_000_000
const [OPEN_ARRAY, OPEN_OBJECT] = [0x5b, 0x7b]

function refuseTooManyBrackets(bytes: Uint8Array): void {
  let brackets = 0
  for (const byte of bytes) if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) brackets++
  if (brackets <= MAX_BRACKETS) return
  throw new LogweirError(
    'body_too_large',
    `The body holds over ${MAX_BRACKETS} objects and arrays. Nothing of it was taken. Send smaller batches.`,
  )
}

/** Invalid UTF-8, such as a character that was cut in two, becomes U+FFFD. */
const UTF_8 = new TextDecoder()

function parse(bytes: Uint8Array): unknown {
  refuseTooManyBrackets(bytes)
  const text = quoteLongIntegers(UTF_8.decode(bytes))
  const parsed = parseJson(text)
  refuseRepeatedLists(text, parsed)
  return parsed
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new MalformedError(`it is not JSON: ${(error as Error).message}`)
  }
}

function* readRecords(records: readonly unknown[], misplaced: readonly UnreadableRecord[]) {
  for (const record of records) {
    yield readOrReport(
      () => readLogRecord(requireObject(record, 'a log record')),
      () => toJson(record),
    )
  }
  yield* misplaced
}

/** Returns the value as JSON. Empty if the value is nested too deeply for `JSON.stringify`. */
function toJson(value: unknown): string {
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

const readResource = (resource: Json) => readAttributes(resource, RESOURCE)

function readScope(scope: Json): Scope {
  return {
    name: readText(scope, 'name'),
    version: readText(scope, 'version'),
    attributes: readAttributes(scope, SCOPE),
  }
}

function readLogRecord(record: Json): LogRecord {
  return {
    timeUnixNano: readNanos(record, 'timeUnixNano'),
    observedTimeUnixNano: readNanos(record, 'observedTimeUnixNano'),
    severityNumber: readSeverity(record),
    severityText: readText(record, 'severityText'),
    eventName: readText(record, 'eventName'),
    body: readValue(record.body, 0),
    attributes: readAttributes(record, LOG_RECORD),
    flags: readInteger(record, 'flags'),
    traceId: readId(record, 'traceId', 16),
    spanId: readId(record, 'spanId', 8),
  }
}

/** Reads the severity as a number, OTLP's form, or by name, the form of enums in protobuf's JSON mapping. */
function readSeverity(record: Json): number {
  const value = readField(record, 'severityNumber') ?? 0
  const number = parseInteger(value) ?? (typeof value === 'string' ? severityNumberOf(value) : undefined)
  if (number !== undefined) return Number(number)
  throw new MalformedError('severityNumber is neither an integer nor a name of OTLP')
}
