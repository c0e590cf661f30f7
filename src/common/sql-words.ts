/** The words of SQL: the compiler reads the words, the editor of the page colours and suggests the words. */

/** The reserved words of BigQuery's SQL. A name that is a reserved word is written in backticks. */
export const RESERVED: ReadonlySet<string> = new Set(
  [
    'all and any array as asc assert_rows_modified at between by case cast collate contains create cross',
    'cube current default define desc distinct else end enum escape except exclude exists extract false',
    'fetch following for from full group grouping groups hash having if ignore in inner intersect',
    'interval into is join lateral left like limit lookup merge natural new no not null nulls of on or',
    'order outer over partition preceding proto qualify range recursive respect right rollup rows select',
    'set some struct tablesample then to treat true unbounded union unnest using when where window with',
    'within',
  ].flatMap((line) => line.split(' ')),
)

/** The types of `cast`. */
export const CAST_TYPE_NAMES = ['string', 'int64', 'float64', 'bool', 'timestamp', 'datetime', 'date'] as const

/** The units of time, the shortest first. */
export const UNITS_OF_TIME = [
  ...(['microsecond', 'millisecond', 'second', 'minute', 'hour'] as const),
  ...(['day', 'week', 'isoweek', 'month', 'quarter', 'year'] as const),
] as const

/** The functions that read several rows, each by name as a call with arguments. */
export const AGGREGATE_CALLS = {
  count: 'count(*)',
  countif: 'countif(condition)',
  sum: 'sum(x)',
  avg: 'avg(x)',
  min: 'min(x)',
  max: 'max(x)',
  any_value: 'any_value(x)',
  approx_quantiles: 'approx_quantiles(x, 100)[offset(95)]',
  approx_count_distinct: 'approx_count_distinct(x)',
  array_agg: 'array_agg(x limit n)',
  string_agg: 'string_agg(x, separator)',
} as const

/** The other functions, each by name as a call with arguments. */
export const FUNCTION_CALLS = {
  if: 'if(condition, then, else)',
  ifnull: 'ifnull(x, otherwise)',
  coalesce: 'coalesce(x, y, …)',
  nullif: 'nullif(x, y)',
  greatest: 'greatest(x, y, …)',
  least: 'least(x, y, …)',
  cast: 'cast(x as type)',
  safe_cast: 'safe_cast(x as type)',
  string: 'string(x)',
  lower: 'lower(text)',
  upper: 'upper(text)',
  trim: 'trim(text)',
  length: 'length(text)',
  char_length: 'char_length(text)',
  character_length: 'character_length(text)',
  concat: 'concat(x, y, …)',
  substr: 'substr(text, from, length)',
  substring: 'substring(text, from, length)',
  replace: 'replace(text, part, by)',
  split: "split(text, ',')[offset(0)]",
  starts_with: 'starts_with(text, start)',
  ends_with: 'ends_with(text, end)',
  contains_substr: 'contains_substr(text, part)',
  regexp_contains: 'regexp_contains(text, pattern)',
  regexp_extract: 'regexp_extract(text, pattern)',
  regexp_replace: 'regexp_replace(text, pattern, by)',
  round: 'round(x, digits)',
  floor: 'floor(x)',
  ceil: 'ceil(x)',
  ceiling: 'ceiling(x)',
  abs: 'abs(x)',
  mod: 'mod(x, y)',
  safe_divide: 'safe_divide(x, y)',
  current_timestamp: 'current_timestamp()',
  current_datetime: 'current_datetime()',
  current_date: 'current_date()',
  timestamp: 'timestamp(x)',
  datetime: 'datetime(x)',
  date: 'date(x)',
  timestamp_trunc: 'timestamp_trunc(time, unit)',
  datetime_trunc: 'datetime_trunc(time, unit)',
  date_trunc: 'date_trunc(time, unit)',
  timestamp_add: 'timestamp_add(time, interval n unit)',
  timestamp_sub: 'timestamp_sub(time, interval n unit)',
  datetime_add: 'datetime_add(time, interval n unit)',
  datetime_sub: 'datetime_sub(time, interval n unit)',
  date_add: 'date_add(time, interval n unit)',
  date_sub: 'date_sub(time, interval n unit)',
  timestamp_diff: 'timestamp_diff(later, earlier, unit)',
  datetime_diff: 'datetime_diff(later, earlier, unit)',
  date_diff: 'date_diff(later, earlier, unit)',
  extract: 'extract(unit from time)',
  format_timestamp: 'format_timestamp(format, time)',
  parse_timestamp: 'parse_timestamp(format, text)',
  unix_seconds: 'unix_seconds(time)',
  unix_millis: 'unix_millis(time)',
  unix_micros: 'unix_micros(time)',
  timestamp_seconds: 'timestamp_seconds(n)',
  timestamp_millis: 'timestamp_millis(n)',
  timestamp_micros: 'timestamp_micros(n)',
  json_value: "json_value(text, '$.key')",
  json_query: "json_query(text, '$.key')",
  json_extract: "json_extract(text, '$.key')",
  json_extract_scalar: "json_extract_scalar(text, '$.key')",
  to_json_string: 'to_json_string(x)',
  json_object: "json_object('key', value, …)",
} as const
