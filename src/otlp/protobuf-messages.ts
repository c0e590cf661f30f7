/**
 * Reads OTLP in protobuf. The field numbers come from opentelemetry-proto 1 (collector/logs/v1, logs/v1, resource/v1,
 * common/v1) and older versions. Unknown fields are skipped, except in a message that has no records.
 */
import { WireType } from '@bufbuild/protobuf/wire'
import {
  delimited,
  type Field,
  type ListType,
  listType,
  type MessageType,
  messageType,
  nested,
  readElements,
  readHex,
  readMessage,
  readNested,
  readText,
} from './protobuf.js'
import {
  type Attributes,
  createLogRecord,
  createScope,
  type LogRecord,
  MAX_NESTING,
  MalformedError,
  nestedTooDeep,
  type RecordGroup,
  readOrReport,
  type Scope,
  type Value,
} from './request.js'

const { Varint, Bit64, Bit32 } = WireType

/** An AnyValue. The value is null until read. */
interface AnyValue {
  value: Value
}
const createAnyValue = (): AnyValue => ({ value: null })

interface KeyValue extends AnyValue {
  key: string
}

/** Creates a field of AnyValue that contains values, which are a level deeper. `finish` makes the Value. */
function container<U>(inner: () => MessageType<U>, open: () => U, finish: (made: U) => Value): Field<AnyValue> {
  return delimited((into, reader, depth) => {
    if (depth === MAX_NESTING) throw nestedTooDeep()
    const made = open()
    readNested(made, inner(), reader, depth + 1)
    into.value = finish(made)
  })
}

/** A value of a later version's kind cannot be stored, so the record is rejected, not stored without a value. */
function refuseUnknownKind(_: AnyValue, number: number): never {
  throw new MalformedError(`a value is of the unknown kind ${number}`)
}

const ANY_VALUE: MessageType<AnyValue> = messageType(
  'AnyValue',
  {
    1: delimited((into, reader) => void (into.value = readText(reader))),
    2: { wire: Varint, read: (into, reader) => void (into.value = reader.bool()) },
    3: { wire: Varint, read: (into, reader) => void (into.value = BigInt(reader.int64())) },
    4: { wire: Bit64, read: (into, reader) => void (into.value = reader.double()) },
    5: container(
      () => ARRAY_VALUE,
      (): Value[] => [],
      (values) => values,
    ),
    6: container(
      () => KEY_VALUES,
      (): Attributes => [],
      (entries) => new Map(entries),
    ),
    7: delimited((into, reader) => void (into.value = reader.bytes())),
  },
  refuseUnknownKind,
)

const KEY_VALUE = messageType<KeyValue>('KeyValue', {
  1: delimited((into, reader) => void (into.key = readText(reader))),
  2: nested(
    () => ANY_VALUE,
    (into) => into,
  ),
})

const keyValues = <T>(listOf: (into: T) => Attributes): Field<T> =>
  nested(
    () => KEY_VALUE,
    () => ({ key: '', value: null }) as KeyValue,
    (into, { key, value }) => void listOf(into).push([key, value]),
  )

const ARRAY_VALUE = messageType<Value[]>('ArrayValue', {
  1: nested(
    () => ANY_VALUE,
    createAnyValue,
    (values, { value }) => void values.push(value),
  ),
})
const KEY_VALUES = messageType<Attributes>('KeyValueList', { 1: keyValues((into) => into) })
const RESOURCE = messageType<Attributes>('Resource', { 1: keyValues((into) => into) })

const SCOPE = messageType<Scope>('InstrumentationScope', {
  1: delimited((into, reader) => void (into.name = readText(reader))),
  2: delimited((into, reader) => void (into.version = readText(reader))),
  3: keyValues((into) => into.attributes),
})

/** A record with the field `name` of OTLP before 1.0. */
interface NamedRecord extends LogRecord {
  name: string
}

const LOG_RECORD = messageType<NamedRecord>('LogRecord', {
  1: { wire: Bit64, read: (into, reader) => void (into.timeUnixNano = BigInt(reader.fixed64())) },
  2: { wire: Varint, read: (into, reader) => void (into.severityNumber = reader.int32()) },
  3: delimited((into, reader) => void (into.severityText = readText(reader))),
  4: delimited((into, reader) => void (into.name = readText(reader))),
  5: nested(
    () => ANY_VALUE,
    createAnyValue,
    (into, { value }) => void (into.body = value),
  ),
  6: keyValues((into) => into.attributes),
  8: { wire: Bit32, read: (into, reader) => void (into.flags = reader.fixed32()) },
  9: delimited((into, reader) => void (into.traceId = readHex(reader))),
  10: delimited((into, reader) => void (into.spanId = readHex(reader))),
  11: { wire: Bit64, read: (into, reader) => void (into.observedTimeUnixNano = BigInt(reader.fixed64())) },
  12: delimited((into, reader) => void (into.eventName = readText(reader))),
})

interface ScopeLogs {
  scope: Scope
}

/** Without the records: fields may be in any order, and records are read after their scope. */
const SCOPE_LOGS = messageType<ScopeLogs>('ScopeLogs', {
  1: nested(
    () => SCOPE,
    (into) => into.scope,
  ),
})

interface ResourceLogs {
  resource: Attributes
}

/** Without the ScopeLogs, which are read after the resource. */
const RESOURCE_LOGS = messageType<ResourceLogs>('ResourceLogs', {
  1: nested(
    () => RESOURCE,
    (into) => into.resource,
  ),
})

const RESOURCES = listType('ExportLogsServiceRequest', 'resource_logs', [1])
// 1000 is `instrumentation_library_logs` of OTLP 0.15: an InstrumentationLibraryLogs has the fields of a ScopeLogs.
const SCOPES = listType('ResourceLogs', 'scope_logs', [2, 1000], [1, 3])
const RECORDS = listType('ScopeLogs', 'log_records', [2], [1, 3])

/** Yields the elements that are not empty: a body may contain a great number of empty elements. */
function* readFilledElements(bytes: Uint8Array, type: ListType): Generator<Uint8Array, void> {
  for (const element of readElements(bytes, type)) if (element.length > 0) yield element
}

/**
 * Reads the records of an ExportLogsServiceRequest. Throws {@link MalformedError} if the lists around the records
 * cannot be read. A record that cannot be read itself becomes an `UnreadableRecord`.
 */
export function* readProtobuf(bytes: Uint8Array): Generator<RecordGroup, void> {
  for (const resourceLogs of readFilledElements(bytes, RESOURCES)) {
    const { resource } = readMessage({ resource: [] }, RESOURCE_LOGS, resourceLogs)
    for (const scopeLogs of readFilledElements(resourceLogs, SCOPES)) {
      const { scope } = readMessage({ scope: createScope() }, SCOPE_LOGS, scopeLogs)
      yield { resource, scope, records: readRecords(scopeLogs) }
    }
  }
}

function* readRecords(scopeLogs: Uint8Array) {
  for (const element of readElements(scopeLogs, RECORDS)) {
    yield readOrReport(
      () => readLogRecord(element),
      () => Buffer.from(element).toString('base64'),
    )
  }
}

/** Reads a record. The old field `name` becomes the first attribute: the last of equal keys counts. */
function readLogRecord(bytes: Uint8Array): LogRecord {
  const { name, ...record } = readMessage({ ...createLogRecord(), name: '' }, LOG_RECORD, bytes)
  if (name !== '') record.attributes.unshift(['name', name])
  return record
}
