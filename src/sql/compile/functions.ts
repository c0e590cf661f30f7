import { nearest } from '../../base/text/nearest.js'
import type { FUNCTION_CALLS } from '../../common/sql-words.js'
import { wrongCount } from '../../plan/arity.js'
import { type Expression, literal } from '../../plan/expression.js'
import type { FunctionName } from '../../plan/functions/table.js'
import { isPartOfDay, type TimeUnit } from '../../plan/values/times.js'
import { isTimeType, TIME_OF, type TimeType } from '../../plan/values/values.js'
import { SQL_AGGREGATES } from '../parse/aggregate-names.js'
import { invalid, unsupported } from '../parse/fault.js'
import type { Node, NodeOf } from '../parse/tree.js'
import type { Compiler } from './compiler.js'
import { OTHER_DIALECTS } from './other-dialects.js'
import { checkZone, timeAdd, unitNamed, unitOf } from './times.js'
import { uncoveredFunction } from './uncovered.js'

type Call = NodeOf<'call'>
type Compile = (node: Call, compiler: Compiler) => Expression
/** The functions that are compiled here. The syntax of the three others is read by the parser. */
type SqlFunction = Exclude<keyof typeof FUNCTION_CALLS, 'cast' | 'safe_cast' | 'extract'>

/** A function of plans with the same arguments. */
const same =
  (fn: FunctionName): Compile =>
  ({ args, at }, compiler) =>
    compiler.call(fn, compiler.compileArguments(args, fn), at)

/** A cast with an optional time zone. */
const cast =
  (fn: FunctionName): Compile =>
  ({ name, args, at }, compiler) => {
    takes(name, args, 1, 2, at)
    checkZone(args[1])
    return compiler.call(fn, [compiler.compile(args[0])], at)
  }

/** `timestamp_trunc(x, hour)`. A time keeps its type. `type` is the type of the result for any other value. */
const truncation =
  (type: TimeType): Compile =>
  ({ name, args, at }, compiler) => {
    takes(name, args, 2, 3, at)
    const [time, unit, zone] = args as [Node, Node, Node | undefined]
    if (time.kind === 'literal' && typeof time.value === 'string' && unit.kind !== 'literal') {
      const word = time.value.toLowerCase()
      if (/^[a-z]+$/.test(word))
        throw unsupported(`Write timestamp_trunc(time, ${word}), the unit last and without quotes.`, at)
    }
    checkZone(zone)
    const known = unitOf(unit, at, compiler)
    const value = compiler.compile(time)
    const given = compiler.typeOf(value)
    const kept = isTimeType(given) ? given : type
    if (kept === 'date' && known.kind === 'literal' && isPartOfDay(known.value as TimeUnit))
      throw invalid(`${name} of a date has units from day: write timestamp_trunc(time, ${known.value}).`, unit.at)
    return compiler.call(`${kept}_trunc`, [value, known], at)
  }

/** `timestamp_sub(x, interval 1 hour)`. A value of another type is cast to `type`. */
const shift =
  (isEarlier: boolean, type: TimeType): Compile =>
  ({ name, args, at }, compiler) => {
    const [time, interval] = args
    if (args.length !== 2 || interval!.kind !== 'interval')
      throw invalid(`${name} takes a time and an interval: ${name}(timestamp, interval 1 hour).`, at)
    const { unit, at: unitAt } = interval as NodeOf<'interval'>
    if (type === 'date' && isPartOfDay(unitNamed(unit, unitAt)))
      throw invalid(
        `${name} has units from day: write datetime_${isEarlier ? 'sub' : 'add'}(date, interval …).`,
        unitAt,
      )
    const value = compiler.compile(time!)
    const read = compiler.typeOf(value) === type ? value : compiler.call(`cast_${type}`, [value], at)
    return timeAdd(read, interval as NodeOf<'interval'>, isEarlier, at, compiler)
  }

/**
 * `timestamp_diff(later, earlier, hour)`. Elapsed time if an argument is a timestamp, starts of units if an argument
 * is a datetime or a date, else as the name of the function says.
 */
const difference =
  (fn: 'timestamp_diff' | 'date_diff'): Compile =>
  ({ name, args, at }, compiler) => {
    takes(name, args, 3, 3, at)
    const [later, earlier, unit] = args as [Node, Node, Node]
    const times = [compiler.compile(later), compiler.compile(earlier)]
    const types = times.map((time) => compiler.typeOf(time)).filter(isTimeType)
    const ofType = types.includes('timestamp') ? 'timestamp_diff' : types.length > 0 ? 'date_diff' : fn
    return compiler.call(ofType, [...times, unitOf(unit, at, compiler)], at)
  }

/** A function of a format, another argument, and an optional time zone. */
const withFormat =
  (fn: FunctionName): Compile =>
  ({ name, args, at }, compiler) => {
    takes(name, args, 2, 3, at)
    checkZone(args[2])
    return compiler.call(fn, [compiler.compile(args[0]), compiler.compile(args[1])], at)
  }

/** The time at which the query runs, the same for all rows. */
const now =
  (type: TimeType): Compile =>
  ({ name, args, at }, { context }) => {
    takes(name, args, 0, 1, at)
    checkZone(args[0])
    context.uses.time = true
    return literal(TIME_OF[type](context.nowUs))
  }

/** Functions that are plans' own, with the same name and arguments. */
const SAME = [
  'if',
  'coalesce',
  'nullif',
  'regexp_contains',
  'regexp_extract',
  'regexp_replace',
  'starts_with',
  'ends_with',
  'contains_substr',
  'lower',
  'upper',
  'trim',
  'length',
  'concat',
  'substr',
  'replace',
  'split',
  'unix_seconds',
  'unix_millis',
  'unix_micros',
  'timestamp_seconds',
  'timestamp_millis',
  'timestamp_micros',
  'safe_divide',
  'mod',
  'round',
  'floor',
  'ceil',
  'abs',
  'greatest',
  'least',
  'json_value',
  'json_query',
  'to_json_string',
] as const satisfies readonly (FunctionName & SqlFunction)[]

const OTHERS: Readonly<Record<Exclude<SqlFunction, (typeof SAME)[number]>, Compile>> = {
  ifnull,
  json_extract_scalar: same('json_value'),
  json_extract: same('json_query'),
  json_object: jsonObject,
  char_length: same('length'),
  character_length: same('length'),
  substring: same('substr'),
  ceiling: same('ceil'),
  timestamp: cast('cast_timestamp'),
  datetime: cast('cast_datetime'),
  date: cast('cast_date'),
  string: cast('cast_string'),
  timestamp_trunc: truncation('timestamp'),
  datetime_trunc: truncation('datetime'),
  date_trunc: truncation('date'),
  timestamp_sub: shift(true, 'timestamp'),
  timestamp_add: shift(false, 'timestamp'),
  datetime_sub: shift(true, 'datetime'),
  datetime_add: shift(false, 'datetime'),
  date_sub: shift(true, 'date'),
  date_add: shift(false, 'date'),
  timestamp_diff: difference('timestamp_diff'),
  datetime_diff: difference('date_diff'),
  date_diff: difference('date_diff'),
  format_timestamp: withFormat('format_timestamp'),
  parse_timestamp: withFormat('parse_timestamp'),
  current_timestamp: now('timestamp'),
  current_datetime: now('datetime'),
  current_date: now('date'),
}

const FUNCTIONS: ReadonlyMap<string, Compile> = new Map<string, Compile>([
  ...SAME.map((fn) => [fn, same(fn)] as const),
  ...Object.entries(OTHERS),
])

function ifnull({ args, at }: Call, compiler: Compiler): Expression {
  takes('ifnull', args, 2, 2, at)
  return compiler.call(
    'coalesce',
    args.map((arg) => compiler.compile(arg)),
    at,
  )
}

function jsonObject({ args, at }: Call, compiler: Compiler): Expression {
  if (args.length % 2 !== 0)
    throw invalid("json_object takes pairs of a key and a value: json_object('ok', 1, 'failed', 0).", at)
  return compiler.call(
    'json_object',
    args.map((arg) => compiler.compile(arg)),
    at,
  )
}

/** The names of all functions. */
export const FUNCTION_NAMES: readonly string[] = [
  ...FUNCTIONS.keys(),
  ...SQL_AGGREGATES,
  'cast',
  'safe_cast',
  'extract',
]

/** Whether there is a function of that name which is no aggregate. */
export const isFunction = (name: string): boolean => FUNCTIONS.has(name)

/** Returns the expression of a call. Throws `invalid_sql` if there is no such function. */
export function compileFunction(node: Call, compiler: Compiler): Expression {
  const { name, at, isStar, isDistinct, limit } = node
  const compile = FUNCTIONS.get(name)
  if (compile === undefined) throw unknownFunction(node)
  if (isStar || isDistinct || limit !== undefined)
    throw invalid(`${name} is no aggregate: it takes neither * nor DISTINCT nor LIMIT.`, at)
  return compile(node, compiler)
}

function unknownFunction({ name, spelled, at }: Call): Error {
  const uncovered = uncoveredFunction(name)
  if (uncovered !== undefined) return unsupported(`The function ${spelled} is not covered.${uncovered}`, at)
  const instead = OTHER_DIALECTS.get(name)
  if (instead !== undefined) return invalid(`There is no function ${spelled}. Write ${instead}.`, at)
  const meant = nearest(name, FUNCTION_NAMES)
  return invalid(`There is no function ${spelled}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`, at)
}

/** Checks the number of arguments. */
function takes(name: string, args: readonly Node[], least: number, most: number, at: number): void {
  const message = wrongCount(name, least, most, args.length)
  if (message !== undefined) throw invalid(message, at)
}
