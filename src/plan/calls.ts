import { AGGREGATES, type Aggregate, type AggregateName } from './aggregates.js'
import { call, column, type Expression, literal } from './expression.js'
import type { CastType } from './functions/cast.js'
import { FUNCTIONS, type FunctionName } from './functions/table.js'
import type { TimePart } from './functions/time.js'
import type { TimeUnit } from './values/times.js'
import type { Scalar } from './values/values.js'

/** A column or a field by its name, or an expression. */
export type Value = string | Expression
/** An argument behind the first argument: a text is that text, and names no column. */
export type Argument = Scalar | Expression

type Text = string | Expression
type Numeric = number | bigint | Expression

/** The arguments of each function. */
type FunctionArguments = Record<'and' | 'or', [condition: Value, ...others: (Expression | boolean | null)[]]> &
  Record<'not' | 'is_null' | 'is_true' | 'is_false', [value: Value]> &
  Record<'if', [condition: Value, value: Argument, otherwise: Argument]> &
  Record<'case', [condition: Value, value: Argument, ...othersAndOtherwise: Argument[]]> &
  Record<'coalesce' | 'greatest' | 'least' | 'concat', [value: Value, ...others: Argument[]]> &
  Record<'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'nullif', [value: Value, other: Argument]> &
  Record<'in', [value: Value, first: Argument, ...others: Argument[]]> &
  Record<'add' | 'sub' | 'mul' | 'div' | 'safe_divide' | 'mod', [number: Value, other: Numeric]> &
  Record<'neg' | 'abs' | 'floor' | 'ceil', [number: Value]> &
  Record<'round', [number: Value, digits?: Numeric]> &
  Record<'lower' | 'upper' | 'length' | 'url_path', [text: Value]> &
  Record<'trim', [text: Value, characters?: Text]> &
  Record<'substr', [text: Value, from: Numeric, length?: Numeric]> &
  Record<'replace', [text: Value, part: Text, by: Text]> &
  Record<'starts_with' | 'ends_with' | 'contains' | 'contains_substr', [text: Value, part: Text]> &
  Record<'split', [text: Value, separator?: Text]> &
  Record<'like' | 'ilike', [text: Value, pattern: Text]> &
  Record<'regexp_contains' | 'regexp_extract', [text: Value, pattern: string]> &
  Record<'regexp_replace', [text: Value, pattern: string, by: Text]> &
  Record<`${'cast' | 'safe_cast'}_${CastType}`, [value: Value]> &
  Record<'timestamp_trunc' | 'datetime_trunc' | 'date_trunc', [time: Value, unit: TimeUnit]> &
  Record<'timestamp_bucket', [time: Value, widthUs: number]> &
  Record<'time_add', [time: Value, count: Numeric, unit: TimeUnit]> &
  Record<'timestamp_diff' | 'date_diff', [time: Value, earlier: Argument, unit: TimeUnit]> &
  Record<'extract', [time: Value, part: TimePart]> &
  Record<'unix_seconds' | 'unix_millis' | 'unix_micros', [time: Value]> &
  Record<'timestamp_seconds' | 'timestamp_millis' | 'timestamp_micros', [number: Value]> &
  Record<'format_timestamp', [format: string, time: Value]> &
  Record<'parse_timestamp', [format: string, text: Value]> &
  Record<'json_value' | 'json_query', [json: Value, path?: string]> &
  Record<'to_json_string', [value: Value]> &
  Record<'json_object', [key: Expression, value: Argument, ...others: Argument[]]> &
  Record<'field', [json: Value, key: string, ...keys: string[]]> &
  Record<'offset' | 'safe_offset', [list: Value, place: Numeric]>

/** The arguments of each aggregate. */
type AggregateArguments = Record<'count', [value?: Value]> &
  Record<'countif' | 'share', [condition: Value]> &
  Record<'sum' | 'avg' | 'min' | 'max' | 'any_value' | 'count_distinct' | 'approx_count_distinct', [value: Value]> &
  Record<'quantile', [value: Value, percent: number]> &
  Record<'approx_quantiles', [value: Value, parts: number]> &
  Record<'array_agg', [value: Value, limit?: number]> &
  Record<'string_agg', [value: Value, separator?: string]>

/**
 * Endpoints do not call these functions: engines call `field_text` and `in_list`, and SQL calls `repeated` and
 * `known_time`.
 */
type CallableName = Exclude<FunctionName, 'field_text' | 'in_list' | 'repeated' | 'known_time'>

/** The place of the argument that may name a column, for functions with an option as their first argument. */
const VALUE_PLACES: Partial<Record<FunctionName, number>> = { format_timestamp: 1, parse_timestamp: 1 }

/**
 * Every function of expressions by name: `fn.lower('metadata.level')`. The first argument may name a column or a
 * field. A text in any other place is that text. Only `format_timestamp` and `parse_timestamp` take the name second.
 */
export const fn = tableOf(FUNCTIONS, (name, args) => call(name, ...argumentsOf(args, VALUE_PLACES[name]))) as {
  readonly [Name in CallableName]: (...args: FunctionArguments[Name]) => Expression
}

/**
 * Every aggregate by name, with arguments as in {@link fn}: `agg.string_agg('project', ', ')`. `top_values` is left
 * out, since its result is of use to `logs.fields` alone.
 */
export const agg = tableOf(AGGREGATES, (name, args): Aggregate => ({ fn: name, args: argumentsOf(args) })) as {
  readonly [Name in Exclude<AggregateName, 'top_values'>]: (...args: AggregateArguments[Name]) => Aggregate
}

function tableOf<Name extends string, Result>(
  named: Readonly<Record<Name, unknown>>,
  make: (name: Name, args: readonly (Argument | undefined)[]) => Result,
): Record<Name, (...args: readonly (Argument | undefined)[]) => Result> {
  const names = Object.keys(named) as Name[]
  return Object.fromEntries(names.map((name) => [name, (...args: Argument[]) => make(name, args)])) as never
}

/** Returns the expressions of arguments. The argument at `valuePlace` may name a column. */
function argumentsOf(args: readonly (Argument | undefined)[], valuePlace = 0): Expression[] {
  return args
    .filter((arg) => arg !== undefined)
    .map((arg, place) => {
      if (isExpression(arg)) return arg
      return place === valuePlace && typeof arg === 'string' ? column(arg) : literal(arg)
    })
}

/** Returns the column that a text names, or the expression itself. */
export const expressionOf = (value: Value): Expression => (typeof value === 'string' ? column(value) : value)

/** Returns whether a value is an expression, not a literal or an object of named expressions. */
export function isExpression(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && KINDS.has((value as Partial<Expression>).kind)
}

const KINDS: ReadonlySet<unknown> = new Set<Expression['kind']>(['column', 'literal', 'call'])
