/**
 * OTLP in protobuf. The numbers of the fields are those of opentelemetry-proto 1 (collector/logs/v1, logs/v1, resource/v1,
 * common/v1) and of its older versions. Unknown fields are skipped, except in a message without the records it should hold.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import {
  type Attributes,
  createLogRecord,
  createScope,
  type Group,
  type LogRecord,
  MAX_NESTING,
  Malformed,
  readOr,
  type Scope,
  tooNested,
  type Value,
} from './request.js'

/** What is known of one field of a message of type `T`. */
interface Field<T> {
  wire: WireType
  /** Reads the value into the message, whose values are `depth` levels deep. */
  read(into: T, reader: BinaryReader, depth: number): void
}

interface Message<T> {
  name: string
  fields: ReadonlyMap<number, Field<T>>
  /** Called before an unknown field is skipped. */
  unknown(into: T, number: number): void
}

function message<T>(
  name: string,
  fields: Record<number, Field<T>>,
  unknown: Message<T>['unknown'] = () => {},
): Message<T> {
  return { name, fields: new Map(Object.entries(fields).map(([number, field]) => [Number(number), field])), unknown }
}

const { Varint, Bit64, Bit32, LengthDelimited } = WireType

/** The bytes of a message or a text. */
const delimited = <T>(read: Field<T>['read']): Field<T> => ({ wire: LengthDelimited, read })

/** A message within a message: `open` gives what its fields are read into. */
function nested<T, U>(inner: () => Message<U>, open: (into: T) => U, close?: (into: T, made: U) => void): Field<T> {
  return delimited((into, reader, depth) => {
    const made = open(into)
    readMessage(made, inner(), reader, endOf(reader), depth)
    close?.(into, made)
  })
}

/** Where the value of a length ends that the reader is before. */
function endOf(reader: BinaryReader): number {
  const length = reader.uint32()
  if (reader.pos + length > reader.len) throw new Malformed('a length goes beyond the end')
  return reader.pos + length
}

function readMessage<T>(into: T, type: Message<T>, reader: BinaryReader, end: number, depth: number): void {
  while (reader.pos < end) readField(into, type, reader, depth)
  if (reader.pos > end) throw new Malformed(`${type.name} does not end where it should`)
}

function readField<T>(into: T, { name, fields, unknown }: Message<T>, reader: BinaryReader, depth: number): void {
  const [number, wire] = reader.tag()
  const field = fields.get(number)
  if (field === undefined) {
    unknown(into, number)
    reader.skip(wire, number)
  } else if (field.wire === wire) field.read(into, reader, depth)
  else throw new Malformed(`field ${number} of ${name} has the wire type ${wire} in place of ${field.wire}`)
}

/** Reads all the bytes as one message. Throws {@link Malformed}. */
function read<T>(into: T, type: Message<T>, bytes: Uint8Array): T {
  const reader = new BinaryReader(bytes)
  return reading(type.name, () => {
    readMessage(into, type, reader, reader.len, 0)
    return into
  })
}

/** What the reader throws is of many kinds: an end too early, a tag that is none. */
function reading<T>(name: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof Malformed) throw error
    throw new Malformed(`${name} cannot be read: ${(error as Error).message}`)
  }
}

/** Bytes that are not UTF-8, such as those of a character that was cut in two, become U+FFFD. */
const text = (reader: BinaryReader) => reader.string()

const hex = (reader: BinaryReader) => Buffer.from(reader.bytes()).toString('hex')

/** A value, once it has been read. */
interface Holder {
  value: Value
}
const createHolder = (): Holder => ({ value: null })

interface KeyValue extends Holder {
  key: string
}

/** What holds values is a level deeper than they are. */
function container<U>(inner: () => Message<U>, open: () => U, finish: (made: U) => Value): Field<Holder> {
  return delimited((into, reader, depth) => {
    if (depth === MAX_NESTING) throw tooNested()
    const made = open()
    readMessage(made, inner(), reader, endOf(reader), depth + 1)
    into.value = finish(made)
  })
}

/** A kind of a later version: its value cannot be stored, which the sender must be told. */
function refuseUnknownKind(_: Holder, number: number): never {
  throw new Malformed(`a value is of the unknown kind ${number}`)
}

const ANY_VALUE: Message<Holder> = message(
  'AnyValue',
  {
    1: delimited((into, reader) => void (into.value = text(reader))),
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

const KEY_VALUE = message<KeyValue>('KeyValue', {
  1: delimited((into, reader) => void (into.key = text(reader))),
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

const ARRAY_VALUE = message<Value[]>('ArrayValue', {
  1: nested(
    () => ANY_VALUE,
    createHolder,
    (values, { value }) => void values.push(value),
  ),
})
const KEY_VALUES = message<Attributes>('KeyValueList', { 1: keyValues((into) => into) })
const RESOURCE = message<Attributes>('Resource', { 1: keyValues((into) => into) })

const SCOPE = message<Scope>('InstrumentationScope', {
  1: delimited((into, reader) => void (into.name = text(reader))),
  2: delimited((into, reader) => void (into.version = text(reader))),
  3: keyValues((into) => into.attributes),
})

/** Versions of OTLP before 1.0 named records, too. */
interface NamedRecord extends LogRecord {
  name: string
}

const LOG_RECORD = message<NamedRecord>('LogRecord', {
  1: { wire: Bit64, read: (into, reader) => void (into.timeUnixNano = BigInt(reader.fixed64())) },
  2: { wire: Varint, read: (into, reader) => void (into.severityNumber = reader.int32()) },
  3: delimited((into, reader) => void (into.severityText = text(reader))),
  4: delimited((into, reader) => void (into.name = text(reader))),
  5: nested(
    () => ANY_VALUE,
    createHolder,
    (into, { value }) => void (into.body = value),
  ),
  6: keyValues((into) => into.attributes),
  8: { wire: Bit32, read: (into, reader) => void (into.flags = reader.fixed32()) },
  9: delimited((into, reader) => void (into.traceId = hex(reader))),
  10: delimited((into, reader) => void (into.spanId = hex(reader))),
  11: { wire: Bit64, read: (into, reader) => void (into.observedTimeUnixNano = BigInt(reader.fixed64())) },
  12: delimited((into, reader) => void (into.eventName = text(reader))),
})

interface ScopeLogs {
  scope: Scope
}

/** Fields may come in any order: what is repeated is read once it is known what it belongs to. */
const SCOPE_LOGS = message<ScopeLogs>('ScopeLogs', {
  1: nested(
    () => SCOPE,
    (into) => into.scope,
  ),
})

interface ResourceLogs {
  resource: Attributes
}

const RESOURCE_LOGS = message<ResourceLogs>('ResourceLogs', {
  1: nested(
    () => RESOURCE,
    (into) => into.resource,
  ),
})

/** What {@link partsOf} has found in one field. */
interface Part {
  /** Null if it was another field. */
  bytes: Uint8Array | null
  /** The first unknown field of the message so far. */
  unknown?: number
}

/** A message that is read for one list only. */
interface Parts {
  /** Number and name of the list. */
  list: string
  message: Message<Part>
}

const PART = delimited<Part>((part, reader) => void (part.bytes = reader.bytes()))
const OTHER = delimited<Part>((_, reader) => void reader.bytes())

function parts(name: string, list: string, numbers: readonly number[], others: readonly number[] = []): Parts {
  const fields = [...numbers.map((number) => [number, PART]), ...others.map((number) => [number, OTHER])]
  const noteUnknown: Message<Part>['unknown'] = (part, number) => void (part.unknown ??= number)
  return { list: `${numbers[0]} (${list})`, message: message(name, Object.fromEntries(fields), noteUnknown) }
}

const RESOURCES = parts('ExportLogsServiceRequest', 'resource_logs', [1])
// 1000 is `instrumentation_library_logs` of OTLP 0.15: an InstrumentationLibraryLogs has the fields of a ScopeLogs.
const SCOPES = parts('ResourceLogs', 'scope_logs', [2, 1000], [1, 3])
const RECORDS = parts('ScopeLogs', 'log_records', [2], [1, 3])

/**
 * The elements of the list, one by one. Throws {@link Malformed} if there are none, but unknown fields: these may be what
 * should be in the list.
 */
function* partsOf(bytes: Uint8Array, { list, message: type }: Parts): Generator<Uint8Array, void> {
  const reader = new BinaryReader(bytes)
  const part: Part = { bytes: null }
  const readNext = () => readField(part, type, reader, 0)
  let isEmpty = true
  while (reader.pos < reader.len) {
    part.bytes = null
    reading(type.name, readNext)
    if (part.bytes === null) continue
    isEmpty = false
    yield part.bytes
  }
  if (isEmpty && part.unknown !== undefined) {
    throw new Malformed(`${type.name} has no field ${list}, but field ${part.unknown}`)
  }
}

/** Those that hold anything: of nothing a great many fit into a body. */
function* filledPartsOf(bytes: Uint8Array, type: Parts): Generator<Uint8Array, void> {
  for (const part of partsOf(bytes, type)) if (part.length > 0) yield part
}

/**
 * The records of an ExportLogsServiceRequest. Throws {@link Malformed} where they cannot be told apart; one that cannot be
 * read itself is {@link Damaged}.
 */
export function* groupsOfProtobuf(bytes: Uint8Array): Generator<Group, void> {
  for (const resourceLogs of filledPartsOf(bytes, RESOURCES)) {
    const { resource } = read({ resource: [] }, RESOURCE_LOGS, resourceLogs)
    for (const scopeLogs of filledPartsOf(resourceLogs, SCOPES)) {
      const { scope } = read({ scope: createScope() }, SCOPE_LOGS, scopeLogs)
      yield { resource, scope, records: recordsOf(scopeLogs) }
    }
  }
}

function* recordsOf(scopeLogs: Uint8Array) {
  for (const part of partsOf(scopeLogs, RECORDS)) {
    yield readOr(
      () => recordOf(part),
      () => Buffer.from(part).toString('base64'),
    )
  }
}

/** Its old name comes first among the attributes: of equal keys the last counts. */
function recordOf(part: Uint8Array): LogRecord {
  const { name, ...record } = read({ ...createLogRecord(), name: '' }, LOG_RECORD, part)
  if (name !== '') record.attributes.unshift(['name', name])
  return record
}
