import type { SourceName } from '../../src/common/sources.js'
import { remembered } from './remembered.js'

/** A log record in a test: the fields that ingest reads, and the metadata as JSON text. */
export interface TestRecord {
  source: SourceName
  id: string
  /** Microseconds since the epoch. */
  timestampUs: number
  project: string | null
  event_message: string
  /** The sent JSON text: an object, or an array of objects. */
  metadata: string
}

export type PartialRecord = Partial<Omit<TestRecord, 'metadata'>> & { metadata?: string | object }

/** Returns an edge request, by default of project `a`, at time 0, with empty metadata. */
export function edge(given: PartialRecord = {}): TestRecord {
  return complete('edge_logs', given)
}

/** Returns a function invocation, by default of project `a`, at time 0, with empty metadata. */
export function invocation(given: PartialRecord = {}): TestRecord {
  return complete('function_edge_logs', given)
}

/** Returns a record of the database, by default of project `a`, at time 0, with empty metadata. */
export function database(given: PartialRecord = {}): TestRecord {
  return complete('postgres_logs', given)
}

function complete(source: SourceName, given: PartialRecord): TestRecord {
  const metadata = given.metadata ?? '{}'
  return {
    source,
    id: '',
    timestampUs: 0,
    project: 'a',
    event_message: '',
    ...given,
    metadata: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  }
}

/**
 * Returns the value at a path of a JSON text, in the simplest way: an array on the way means the array's first element.
 * Undefined if the value is absent, or null.
 */
export function valueAt(json: string, path: readonly string[]): unknown {
  return valueIn(parsed(json), path)
}

/** The same of a parsed text. */
export const valueIn = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => property(first(value), key), root) ?? undefined

/** Most texts are read at many paths in turn. */
const parsed = remembered((json) => JSON.parse(json))

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

function property(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}

/**
 * Returns the text at a path, with lone surrogates replaced by U+FFFD. Undefined if the value is absent or no string.
 */
export function textAt(json: string, path: readonly string[]): string | undefined {
  const value = valueAt(json, path)
  return typeof value === 'string' ? Buffer.from(value).toString() : undefined
}

/** Returns the number at a path. Undefined if the value is absent, no number, or not finite. */
export function numberAt(json: string, path: readonly string[]): number | undefined {
  const value = valueAt(json, path)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
