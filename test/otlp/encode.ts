/** Encodes OTLP requests field by field, as opentelemetry-proto defines them. Absent fields are not written. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Attributes, LogRecord, Value } from '../../src/otlp/request.js'

/** A scope of a request, with records. */
export interface SentScope {
  scope?: { name?: string; version?: string; attributes?: Attributes }
  records: Partial<LogRecord>[]
}

/** A resource of a request, with scopes. */
export interface Sent {
  resource?: Attributes
  scopes: SentScope[]
}

/** Returns the object without members that are undefined. */
const withoutUndefined = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))

function anyJson(value: Value): object {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') return { doubleValue: Number.isFinite(value) ? value : String(value) }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyJson) } }
  return { kvlistValue: { values: attributesJson([...value]) } }
}

const attributesJson = (attributes?: Attributes) => attributes?.map(([key, value]) => ({ key, value: anyJson(value) }))

const recordJson = ({ timeUnixNano, observedTimeUnixNano, body, attributes, ...rest }: Partial<LogRecord>) =>
  withoutUndefined({
    ...rest,
    timeUnixNano: timeUnixNano?.toString(),
    observedTimeUnixNano: observedTimeUnixNano?.toString(),
    body: body === undefined ? undefined : anyJson(body),
    attributes: attributesJson(attributes),
  })

/** Encodes a request as OTLP/JSON. */
export function asJson(request: readonly Sent[]): Uint8Array {
  const resourceLogs = request.map(({ resource, scopes }) => ({
    resource: { attributes: attributesJson(resource) },
    scopeLogs: scopes.map(({ scope, records }) => ({
      scope: { ...scope, attributes: attributesJson(scope?.attributes) },
      logRecords: records.map(recordJson),
    })),
  }))
  return Buffer.from(JSON.stringify({ resourceLogs }))
}

type Write = (writer: BinaryWriter) => void

/** Returns the message that `write` writes. */
export const messageOf = (write: Write): Uint8Array => {
  const writer = new BinaryWriter()
  write(writer)
  return writer.finish()
}

const { Varint, Bit64, Bit32, LengthDelimited } = WireType
/** Writes a field that is the message of `write`. */
export const put = (writer: BinaryWriter, field: number, write: Write) =>
  writer.tag(field, LengthDelimited).bytes(messageOf(write))
const putText = (writer: BinaryWriter, field: number, text = '') =>
  text === '' ? writer : writer.tag(field, LengthDelimited).string(text)

function writeAny(writer: BinaryWriter, value: Value): void {
  if (typeof value === 'string') writer.tag(1, LengthDelimited).string(value)
  if (typeof value === 'boolean') writer.tag(2, Varint).bool(value)
  if (typeof value === 'bigint') writer.tag(3, Varint).int64(value)
  if (typeof value === 'number') writer.tag(4, Bit64).double(value)
  if (value instanceof Uint8Array) writer.tag(7, LengthDelimited).bytes(value)
  else if (Array.isArray(value)) {
    put(writer, 5, (values) => {
      for (const one of value) put(values, 1, (any) => writeAny(any, one))
    })
  } else if (value instanceof Map) put(writer, 6, (values) => writeAttributes(values, 1, [...value]))
}

function writeAttributes(writer: BinaryWriter, field: number, attributes: Attributes = []): void {
  for (const [key, value] of attributes) {
    put(writer, field, (entry) => {
      putText(entry, 1, key)
      put(entry, 2, (any) => writeAny(any, value))
    })
  }
}

/** Writes the fields of a LogRecord. */
export function writeRecord(writer: BinaryWriter, record: Partial<LogRecord>): void {
  const { timeUnixNano = 0n, observedTimeUnixNano = 0n, severityNumber = 0, flags = 0, body } = record
  if (timeUnixNano > 0n) writer.tag(1, Bit64).fixed64(timeUnixNano)
  if (severityNumber !== 0) writer.tag(2, Varint).int32(severityNumber)
  putText(writer, 3, record.severityText)
  if (body !== undefined) put(writer, 5, (any) => writeAny(any, body))
  writeAttributes(writer, 6, record.attributes)
  if (flags !== 0) writer.tag(8, Bit32).fixed32(flags)
  if (record.traceId) writer.tag(9, LengthDelimited).bytes(Buffer.from(record.traceId, 'hex'))
  if (record.spanId) writer.tag(10, LengthDelimited).bytes(Buffer.from(record.spanId, 'hex'))
  if (observedTimeUnixNano > 0n) writer.tag(11, Bit64).fixed64(observedTimeUnixNano)
  putText(writer, 12, record.eventName)
}

/** Encodes a request in protobuf. If `isReversed`, the fields of each message are in reverse order. */
export function asProtobuf(request: readonly Sent[], isReversed = false): Uint8Array {
  const inOrder = (writer: BinaryWriter, fields: Write[]) => {
    for (const field of isReversed ? fields.reverse() : fields) field(writer)
  }
  const writeScope = ({ scope = {}, records }: SentScope, writer: BinaryWriter) =>
    inOrder(writer, [
      (scopeLogs) =>
        put(scopeLogs, 1, (message) => {
          putText(message, 1, scope.name)
          putText(message, 2, scope.version)
          writeAttributes(message, 3, scope.attributes)
        }),
      (scopeLogs) => {
        for (const record of records) put(scopeLogs, 2, (message) => writeRecord(message, record))
      },
    ])
  return messageOf((writer) => {
    for (const { resource, scopes } of request) {
      put(writer, 1, (resourceLogs) =>
        inOrder(resourceLogs, [
          (message) => put(message, 1, (attributes) => writeAttributes(attributes, 1, resource)),
          (message) => {
            for (const one of scopes) put(message, 2, (scopeLogs) => writeScope(one, scopeLogs))
          },
        ]),
      )
    }
  })
}
