import { sureUnits } from '../base/pattern/match.js'
import { compilePattern, type Pattern } from '../base/pattern/pattern.js'
import type { Expression } from './expression.js'
import { MAX_VALUE_LENGTH } from './functions/function.js'
import type { FunctionName } from './functions/table.js'
import { compileLike } from './functions/text.js'
import { type Schema, typeOf } from './schema.js'
import { literalCount, mostUnits } from './text-lengths.js'
import { isTimeType, type Type } from './values/values.js'

type Call = Expression & { kind: 'call' }

/** Returns a replacement for a call that can fail. Undefined if the call cannot fail. */
type Rule = (call: Call, schema: Schema) => string | undefined

/** The replacement for any other use of a list. */
export const LIST = "read an element of the list directly: split(text, ',')[safe_offset(0)]"

const never: Rule = () => undefined
const always =
  (instead: string): Rule =>
  () =>
    instead

/** Needs arguments of some types at some places. */
const needs =
  (isRight: (type: Type) => boolean, instead: string, places?: (count: number) => readonly number[]): Rule =>
  ({ args }, schema) => {
    const checked = places?.(args.length).map((place) => args[place]) ?? args
    return checked.every((arg) => arg === undefined || isRight(typeOf(arg, schema))) ? undefined : instead
  }

const isNumber = (type: Type) => type === 'integer' || type === 'count' || type === 'number' || type === 'null'
const isCondition = (type: Type) => type === 'boolean' || type === 'null'
const isTime = (type: Type) => isTimeType(type) || type === 'null'

const conditions = (places?: (count: number) => readonly number[]) =>
  needs(isCondition, 'compare the value with something, or write value is true', places)
const times = (...places: readonly number[]) =>
  needs(isTime, 'read the time with safe_cast(x as timestamp)', () => places)
const numbers = (...places: readonly number[]) =>
  needs(isNumber, 'read the number with safe_cast(x as float64)', () => places)

/** A double, of which no sign and no part is out of range. */
function isDouble(expression: Expression): boolean {
  if (expression.kind === 'literal') return typeof expression.value === 'number'
  if (expression.kind !== 'call') return false
  const { fn, args } = expression
  if (fn === 'safe_cast_float64' || fn === 'safe_divide') return true
  return (fn === 'neg' || fn === 'abs' || fn === 'floor' || fn === 'ceil') && isDouble(args[0])
}

const double: Rule = ({ args }) => (isDouble(args[0]) ? undefined : 'read the number with safe_cast(x as float64)')

const SUMS = 'aggregate each part, and compute with the aggregates: sum(a) + sum(b)'

/** A text that is bounded by substr. */
const bounded =
  (instead: string): Rule =>
  (call, schema) =>
    mostUnits(call, schema) <= MAX_VALUE_LENGTH ? undefined : instead

/** A pattern takes steps for each character, and a search that would take too long is refused. */
const pattern =
  (compile: (text: string) => Pattern): Rule =>
  ({ args: [value, given] }, schema) => {
    const text = given?.kind === 'literal' ? given.value : undefined
    if (text === null) return undefined
    if (typeof text !== 'string') return 'write the pattern as a text'
    const most = sureUnits(compile(text))
    if (mostUnits(value, schema) <= most) return undefined
    return most < 2
      ? 'use starts_with, ends_with or contains_substr'
      : `search in the beginning of the text: substr(text, 1, ${Math.floor(most / 2)})`
  }

const truncation: Rule = (call, schema) => {
  const [time, unit] = call.args
  const isStored = time.kind === 'column' && time.name === 'timestamp'
  const isWeek = unit?.kind === 'literal' && (unit.value === 'week' || unit.value === 'isoweek')
  return isWeek && !isStored ? 'use another unit than week' : times(0)(call, schema)
}

const round: Rule = (call, schema) => {
  const [, digits] = call.args
  const count = digits === undefined ? 0 : literalCount(digits)
  return count === undefined || count < 0 ? 'write the digits as a number from 0' : numbers(0)(call, schema)
}

const substr: Rule = ({ args: [, from, length] }) => {
  const count = length === undefined ? 0 : literalCount(length)
  const isRight = literalCount(from) !== undefined && count !== undefined && count >= 0
  return isRight ? undefined : 'write both places as numbers: substr(text, 1, 100)'
}

const safeOffset: Rule = ({ args: [list, place] }, schema) => {
  const isRight = typeOf(list, schema) === 'list' && literalCount(place) !== undefined
  return isRight ? undefined : LIST
}

const cast =
  (type: string, isSafe: (type: Type) => boolean): Rule =>
  ({ args: [arg] }, schema) =>
    isSafe(typeOf(arg, schema)) ? undefined : `write safe_cast(x as ${type})`

/** Places of the conditions of CASE. */
const conditionsOfCase = (count: number) => Array.from({ length: Math.floor(count / 2) }, (_, pair) => 2 * pair)

/** Each function, and when a call raises an error in a row. A new function has to be judged here. */
export const ROW_RULES: Readonly<Record<FunctionName, Rule>> = {
  and: conditions(),
  or: conditions(),
  not: conditions(),
  is_null: never,
  is_true: never,
  is_false: never,
  if: conditions(() => [0]),
  case: conditions(conditionsOfCase),
  coalesce: never,
  eq: never,
  ne: never,
  lt: never,
  le: never,
  gt: never,
  ge: never,
  in: never,
  in_list: always('write value in (…)'),
  nullif: never,
  greatest: never,
  least: never,
  add: always(SUMS),
  sub: always(SUMS.replace('+', '-')),
  mul: always('compute with the aggregates: 60 * sum(a)'),
  div: always('write safe_divide(a, b)'),
  safe_divide: numbers(0, 1),
  mod: always('compute with the aggregates, or with safe_divide and floor'),
  neg: double,
  abs: double,
  round,
  floor: numbers(0),
  ceil: numbers(0),
  lower: never,
  upper: bounded('write lower(text)'),
  trim: never,
  length: never,
  concat: bounded('group by each text, or bound each text: substr(text, 1, 1000)'),
  substr,
  replace: bounded('read the beginning of the text: replace(substr(text, 1, 1000), part, by)'),
  starts_with: never,
  ends_with: never,
  contains: never,
  contains_substr: never,
  url_path: never,
  split: never,
  like: pattern((text) => compileLike(text, 's')),
  ilike: pattern((text) => compileLike(text, 'is')),
  regexp_contains: pattern(compilePattern),
  regexp_extract: pattern(compilePattern),
  regexp_replace: always(
    'write regexp_extract(substr(text, 1, 100), pattern), or replace(substr(text, 1, 100), part, by)',
  ),
  cast_string: never,
  cast_int64: cast('int64', () => false),
  cast_float64: cast('float64', isNumber),
  cast_bool: cast('bool', (type) => isCondition(type) || isNumber(type)),
  cast_timestamp: cast('timestamp', isTime),
  cast_datetime: cast('datetime', isTime),
  cast_date: cast('date', isTime),
  safe_cast_string: never,
  safe_cast_int64: never,
  safe_cast_float64: never,
  safe_cast_bool: never,
  safe_cast_timestamp: never,
  safe_cast_datetime: never,
  safe_cast_date: never,
  timestamp_trunc: truncation,
  datetime_trunc: truncation,
  date_trunc: truncation,
  timestamp_bucket: always('write timestamp_trunc(timestamp, hour)'),
  time_add: always('move the time where the view is read: timestamp_add(key, interval 1 hour) in SELECT'),
  timestamp_diff: times(0, 1),
  date_diff: times(0, 1),
  extract: times(0),
  unix_seconds: times(0),
  unix_millis: times(0),
  unix_micros: times(0),
  known_time: times(0),
  timestamp_seconds: always('write safe_cast(n as timestamp)'),
  timestamp_millis: always('write safe_cast(n as timestamp)'),
  timestamp_micros: always('write safe_cast(n as timestamp)'),
  format_timestamp: times(1),
  parse_timestamp: always('write safe_cast(text as timestamp)'),
  json_value: never,
  json_query: never,
  to_json_string: always('write cast(x as string)'),
  json_object: always('name each value as a column'),
  field: never,
  field_text: never,
  repeated: always('name the fields of the object'),
  offset: always('write safe_offset(k)'),
  safe_offset: safeOffset,
}
