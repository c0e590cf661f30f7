import { allSources } from '../../src/common/sources.js'
import { type TestRecord, valueAt } from '../support/records.js'
import type { Params } from './oracle.js'
import { isoUs } from './time.js'

/** The rows of requests of the log explorer, by obvious code, over a single record at a time. */

/** A condition of a filter in the request of a client. */
export interface Condition {
  field: string | readonly string[]
  op: string
  value?: unknown
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const COLUMNS = ['id', 'event_message', 'project', 'timestamp']

/** Whether a value is no value of a field: null, or a number beyond the range of doubles. */
export const isAbsent = (value: unknown) => value === null || value === 1 / 0 || value === -1 / 0

/** The value of a field: a text, a number, a boolean, the JSON text of an object or a list in a list, or null. */
export function fieldOf(record: TestRecord, field: Condition['field']): unknown {
  if (field === 'timestamp') return record.timestampUs
  if (typeof field === 'string' && COLUMNS.includes(field)) return record[field as 'id']
  const keys = typeof field === 'string' ? field.replace(/^metadata\./, '').split('.') : field
  const value = valueAt(record.metadata, keys) ?? null
  if (isAbsent(value)) return null
  return typeof value === 'object' && value !== null ? [JSON.stringify(value)] : value
}

const numberOf = (value: unknown) =>
  typeof value === 'number' ? value : typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined

/** Negative, 0 or positive, or undefined between values that are never equal and have no order. */
function compare(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  const [x, y] = [numberOf(a), numberOf(b)]
  return x === undefined || y === undefined ? undefined : x - y
}

/** The value of a condition on the timestamp: ISO 8601, or microseconds. */
const timeOf = (value: unknown) => (typeof value === 'string' ? Number(isoUs(value)) : value)

const textOf = (value: unknown) => (Array.isArray(value) ? String(value[0]) : String(value))

/** Whether a condition is true of a record. */
function holds(record: TestRecord, { field, op, value }: Condition): boolean {
  const own = fieldOf(record, field)
  const given = field === 'timestamp' ? (Array.isArray(value) ? value.map(timeOf) : timeOf(value)) : value
  const equals = (other: unknown) => (other === null ? own === null : own !== null && compare(own, other) === 0)
  const order = own === null ? undefined : compare(own, given)
  switch (op) {
    case '=':
      return equals(given)
    case '!=':
      return !equals(given)
    case 'in':
      return (given as unknown[]).some(equals)
    case 'not_in':
      return !(given as unknown[]).some(equals)
    case '<':
      return order !== undefined && order < 0
    case '<=':
      return order !== undefined && order <= 0
    case '>':
      return order !== undefined && order > 0
    case '>=':
      return order !== undefined && order >= 0
    case 'exists':
      return own !== null
    case 'missing':
      return own === null
    case 'contains':
      return own !== null && textOf(own).toLowerCase().includes(String(given).toLowerCase())
    case 'matches':
      return own !== null && new RegExp(String(given)).test(textOf(own))
    default:
      throw new Error(`No operator: ${op}`)
  }
}

/** A condition, or conditions of which at least one must hold. */
export type Alternatives = Condition | readonly Condition[]

/** A request of the log explorer. Times are in microseconds. */
export interface Asked {
  project: string
  source: string
  startUs: number
  endUs: number
  filter: readonly Alternatives[]
  search: string
}

/** The records that a request asks for, in order of arrival. */
export function matching(records: readonly TestRecord[], asked: Asked): TestRecord[] {
  return records.filter(
    (record) =>
      record.source === asked.source &&
      record.project === asked.project &&
      record.timestampUs >= asked.startUs &&
      record.timestampUs < asked.endUs &&
      record.event_message.toLowerCase().includes(asked.search.toLowerCase()) &&
      asked.filter.every((one) => (Array.isArray(one) ? one : [one]).some((condition) => holds(record, condition))),
  )
}

const HOUR_US = 3_600_000_000

/** Reads the parameters of a request, which must be valid. */
export function askedOf({ project, source, start, end, filter, search }: Params, nowUs: number): Asked {
  const endUs = end ? Number(isoUs(end)) : Number.POSITIVE_INFINITY
  return {
    project: project!,
    source: allSources().find(({ name, alias }) => name === source || alias === source)!.name,
    startUs: start ? Number(isoUs(start)) : (end ? endUs : nowUs) - HOUR_US,
    endUs,
    filter: JSON.parse(filter || '[]'),
    search: search ?? '',
  }
}
