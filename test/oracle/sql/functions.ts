import type { FunctionName } from '../../../src/plan/functions/table.js'
import { literalOf, operator, type Syntax, unsupported, wrong } from './syntax.js'

type Rewrite = (...args: readonly Syntax[]) => Syntax

/** Functions that plans have under the same name. Plans check the number of arguments. */
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
  'format_timestamp',
  'parse_timestamp',
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
  'json_object',
] as const satisfies readonly FunctionName[]

/** A function that takes exactly one argument. */
const one =
  (fn: FunctionName): Rewrite =>
  (...args) =>
    args.length === 1 ? operator(fn, ...args) : unsupported()

/** A word of SQL that is written as a name. */
const wordOf = (syntax: Syntax | undefined) =>
  syntax?.kind === 'name' && syntax.steps.length === 1 ? literalOf(syntax.steps[0]!.toLowerCase()) : wrong()

const withUnit =
  (fn: FunctionName): Rewrite =>
  (...args) =>
    operator(fn, ...args.slice(0, -1), wordOf(args.at(-1)))

const move =
  (sign: 1 | -1): Rewrite =>
  (time, interval, ...others) => {
    if (time === undefined || interval?.kind !== 'interval' || others.length > 0) return wrong()
    const count = sign === 1 ? interval.count : operator('neg', interval.count)
    return operator('time_add', operator('cast_timestamp', time), count, literalOf(interval.unit))
  }

const now: Rewrite = (...args) => (args.length === 0 ? { kind: 'now' } : unsupported())

/** Each function of SQL, by name in lower case, as functions of plans. */
export const FUNCTIONS: Readonly<Record<string, Rewrite>> = {
  ...Object.fromEntries(SAME.map((fn): [string, Rewrite] => [fn, (...args) => operator(fn, ...args)])),
  ifnull: (...args) => (args.length === 2 ? operator('coalesce', ...args) : wrong()),
  json_extract_scalar: (...args) => operator('json_value', ...args),
  timestamp_trunc: withUnit('timestamp_trunc'),
  datetime_trunc: withUnit('datetime_trunc'),
  date_trunc: withUnit('date_trunc'),
  timestamp_diff: withUnit('timestamp_diff'),
  timestamp_add: move(1),
  timestamp_sub: move(-1),
  timestamp: one('cast_timestamp'),
  datetime: one('cast_datetime'),
  date: one('cast_date'),
  current_timestamp: now,
  current_date: (...args) => operator('cast_date', now(...args)),
}
