import { isPlain, jsonOf, textOf } from './functions/text-of.js'
import type { Plan } from './plan.js'
import { schemaOf } from './schema.js'
import { datetimeText } from './values/times.js'
import { Datetime, isTime, RawJson, type Scalar, Timestamp, type Type } from './values/values.js'

/** A value of an answer, null if absent. */
export type Value = string | number | boolean | null | RawJson
/** A row of an answer, by column name. */
export type Row = Readonly<Record<string, Value>>

/** The type of a column's values in an answer. Any value may also be null. */
export type ColumnKind =
  | 'text'
  /** A JSON text. */
  | 'json'
  /** Whole microseconds since the epoch, UTC. */
  | 'microseconds'
  /** `YYYY-MM-DDTHH:MM:SS[.ffffff]`, UTC. */
  | 'datetime'
  /** A whole number of up to 64 bits. */
  | 'integer'
  /** A whole number from 0, never null. */
  | 'count'
  | 'double'
  | 'boolean'
  /** Differs from row to row: texts unchanged, everything else as JSON. */
  | 'any'

/** The name and the type of a column of an answer. Each value may also be null. */
export interface AnswerColumn {
  name: string
  kind: ColumnKind
}

const KINDS: Readonly<Record<Type, ColumnKind>> = {
  text: 'text',
  json: 'json',
  timestamp: 'microseconds',
  datetime: 'datetime',
  date: 'text',
  integer: 'integer',
  count: 'count',
  number: 'double',
  boolean: 'boolean',
  list: 'any',
  any: 'any',
  null: 'any',
}

/** Returns the columns of a plan's answer in order, also if the limit is 0. None for the empty plan. */
export function answerColumns(plan: Plan): readonly AnswerColumn[] {
  return [...schemaOf(plan)].map(([name, type]) => ({ name, kind: KINDS[type] }))
}

/** Returns a value in the form of answers: a timestamp as microseconds, whole numbers beyond 2^53 with all digits. */
export function answerValue(value: Scalar): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  if (value instanceof RawJson) return value
  if (value instanceof Timestamp) return typeof value.us === 'bigint' ? new RawJson(String(value.us)) : value.us
  if (value instanceof Datetime) return datetimeText(value.us)
  return isTime(value) ? textOf(value) : new RawJson(Array.isArray(value) ? listOf(value) : jsonOf(value))
}

/** The JSON of a list with elements as in {@link answerValue}: `jsonOf` has other texts of times. */
function listOf(list: readonly Scalar[]): string {
  if (list.every(isPlain)) return JSON.stringify(list)
  const elements = list.map((element) => {
    if (element instanceof Timestamp) return String(element.us)
    if (element instanceof Datetime) return JSON.stringify(datetimeText(element.us))
    return Array.isArray(element) ? listOf(element) : jsonOf(element)
  })
  return `[${elements.join(',')}]`
}
