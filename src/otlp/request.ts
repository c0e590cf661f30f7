/** An OTLP request as both of its encodings give it. */

/** What an attribute or a body holds; a map is a list of keys and values, null is no value at all. */
export type Value = null | string | boolean | number | bigint | Uint8Array | Value[] | Map<string, Value>

/** In the order in which they came; of equal keys the last counts. */
export type Attributes = [key: string, value: Value][]

export interface Scope {
  name: string
  version: string
  attributes: Attributes
}

/** Zero, the empty text and null stand for what is not there. */
export interface LogRecord {
  timeUnixNano: bigint
  observedTimeUnixNano: bigint
  severityNumber: number
  severityText: string
  eventName: string
  body: Value
  attributes: Attributes
  flags: number
  /** Hexadecimal. */
  traceId: string
  spanId: string
}

/** A record that cannot be read, while those around it can. */
export interface Damaged {
  /** Why not. */
  what: string
  /** The record as JSON, or its bytes in base64. */
  text: string
}

/** The records that one scope of one resource has sent. */
export interface Group {
  resource: Attributes
  scope: Scope
  records: Iterable<LogRecord | Damaged>
}

/** The deepest that a value may hold others. */
export const MAX_NESTING = 128

/** What is not as OTLP says; the message is no sentence yet. */
export class Malformed extends Error {}

export const tooNested = () => new Malformed(`a value holds others over ${MAX_NESTING} levels deep`)

export const createScope = (): Scope => ({ name: '', version: '', attributes: [] })

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

/** A record, or what is known of it where reading it fails. */
export function readOr(read: () => LogRecord, text: () => string): LogRecord | Damaged {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return { what: error.message, text: text() }
  }
}
