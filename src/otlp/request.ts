/** OTLP log records, independent of the encoding of the request. */

/** The value of an attribute or a body. A Map is a KeyValueList. Null means no value. */
export type Value = null | string | boolean | number | bigint | Uint8Array | Value[] | Map<string, Value>

/** Attributes in the order of the request. The last of equal keys counts. */
export type Attributes = [key: string, value: Value][]

/** An InstrumentationScope. Absent texts are empty. */
export interface Scope {
  name: string
  version: string
  attributes: Attributes
}

/** A log record. An absent number is 0, an absent text is empty, an absent body is null. */
export interface LogRecord {
  timeUnixNano: bigint
  observedTimeUnixNano: bigint
  severityNumber: number
  severityText: string
  eventName: string
  body: Value
  attributes: Attributes
  flags: number
  /** In hexadecimal, as `spanId`. */
  traceId: string
  spanId: string
}

/** A record that cannot be read. Other records of the request can be read. */
export interface UnreadableRecord {
  /** An error message without a final dot. */
  reason: string
  /** The record as JSON, or its bytes in base64. */
  text: string
}

/** The records of a scope of a resource. */
export interface RecordGroup {
  resource: Attributes
  scope: Scope
  records: Iterable<LogRecord | UnreadableRecord>
}

/** Maximum depth of values in values. */
export const MAX_NESTING = 128

/** Thrown if a request is not valid OTLP. Its message is part of a sentence: no capital letter, no final dot. */
export class MalformedError extends Error {}

/** Returns the error of a value that is nested deeper than {@link MAX_NESTING}. */
export const nestedTooDeep = () => new MalformedError(`a value is nested over ${MAX_NESTING} levels deep`)

/** Returns a scope without fields. */
export const createScope = (): Scope => ({ name: '', version: '', attributes: [] })

/** Returns a record without fields. */
export const createLogRecord = (): LogRecord => ({
  timeUnixNano: 0n,
  observedTimeUnixNano: 0n,
  severityNumber: 0,
  severityText: '',
  eventName: '',
  body: null,
  attributes: [],
  flags: 0,
  traceId: '',
  spanId: '',
})

/** Returns the record, or an {@link UnreadableRecord} with the given text if reading throws {@link MalformedError}. */
export function readOrReport(read: () => LogRecord, text: () => string): LogRecord | UnreadableRecord {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return { reason: error.message, text: text() }
  }
}
