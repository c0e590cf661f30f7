/**
 * The words of the service's SQL, for colours and suggestions. A test compares the words with the tables of the
 * service's compiler, of which the page loads nothing.
 */

/** The sources that a query reads. */
export const SOURCES: readonly string[] = [
  ...['edge_logs', 'postgres_logs', 'function_edge_logs', 'function_logs', 'auth_logs'],
  ...['realtime_logs', 'storage_logs', 'postgrest_logs', 'pgbouncer_logs'],
]

/** The columns that each source has. */
export const COLUMNS: readonly string[] = ['id', 'timestamp', 'event_message', 'project', 'metadata']

/** The fields that have columns of their own, by source. Queries read declared fields faster than others. */
export const DECLARED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  edge_logs: [
    ...['request.url', 'request.path', 'request.method', 'request.headers.user_agent'],
    ...['response.status_code', 'response.origin_time'],
  ],
  postgres_logs: [
    ...['parsed.error_severity', 'parsed.user_name', 'parsed.application_name'],
    ...['parsed.sql_state_code'],
  ],
  function_edge_logs: ['function_id', 'execution_time_ms', 'response.status_code', 'request.method'],
  function_logs: ['function_id', 'level', 'event_type'],
  auth_logs: ['level', 'status', 'path', 'method'],
  realtime_logs: ['level'],
  storage_logs: ['level'],
}

/** Words of the syntax. Some words are names only in backticks. */
export const KEYWORDS: readonly string[] = [
  ...['all', 'and', 'as', 'asc', 'at', 'between', 'by', 'case', 'cross', 'desc', 'distinct', 'else', 'end'],
  ...['explain', 'false', 'first', 'from', 'group', 'having', 'ilike', 'in', 'interval', 'is', 'join', 'last'],
  ...['left', 'like', 'limit', 'not', 'null', 'nulls', 'offset', 'on', 'or', 'order', 'outer'],
  ...['safe_offset', 'select', 'then', 'true', 'union', 'unnest', 'when', 'where', 'with'],
]

/** Words that are names only in backticks. */
export const RESERVED: readonly string[] = (
  'all and any array as asc assert_rows_modified at between by case cast collate contains create cross ' +
  'cube current default define desc distinct else end enum escape except exclude exists extract false ' +
  'fetch following for from full group grouping groups hash having if ignore in inner intersect ' +
  'interval into is join lateral left like limit lookup merge natural new no not null nulls of on or ' +
  'order outer over partition preceding proto qualify range recursive respect right rollup rows select ' +
  'set some struct tablesample then to treat true unbounded union unnest using when where window with within'
).split(' ')

/** The types of `cast`. */
export const TYPES: readonly string[] = ['string', 'int64', 'float64', 'bool', 'timestamp', 'datetime', 'date']

/** The units of time. */
export const UNITS: readonly string[] = [
  ...['microsecond', 'millisecond', 'second', 'minute', 'hour', 'day', 'week', 'isoweek', 'month', 'quarter', 'year'],
]

/** The functions that read several rows, with arguments. */
export const AGGREGATES: readonly string[] = [
  'count(*)',
  'countif(condition)',
  'sum(x)',
  'avg(x)',
  'min(x)',
  'max(x)',
  'any_value(x)',
  'approx_quantiles(x, 100)[offset(95)]',
  'approx_count_distinct(x)',
  'array_agg(x limit n)',
  'string_agg(x, separator)',
]

/** The other functions, with arguments. */
export const FUNCTIONS: readonly string[] = [
  'if(condition, then, else)',
  'ifnull(x, otherwise)',
  'coalesce(x, y, …)',
  'nullif(x, y)',
  'greatest(x, y, …)',
  'least(x, y, …)',
  'cast(x as type)',
  'safe_cast(x as type)',
  'string(x)',
  'lower(text)',
  'upper(text)',
  'trim(text)',
  'length(text)',
  'char_length(text)',
  'character_length(text)',
  'concat(x, y, …)',
  'substr(text, from, length)',
  'substring(text, from, length)',
  'replace(text, part, by)',
  "split(text, ',')[offset(0)]",
  'starts_with(text, start)',
  'ends_with(text, end)',
  'contains_substr(text, part)',
  'regexp_contains(text, pattern)',
  'regexp_extract(text, pattern)',
  'regexp_replace(text, pattern, by)',
  'round(x, digits)',
  'floor(x)',
  'ceil(x)',
  'ceiling(x)',
  'abs(x)',
  'mod(x, y)',
  'safe_divide(x, y)',
  'current_timestamp()',
  'current_datetime()',
  'current_date()',
  'timestamp(x)',
  'datetime(x)',
  'date(x)',
  'timestamp_trunc(time, unit)',
  'datetime_trunc(time, unit)',
  'date_trunc(time, unit)',
  'timestamp_add(time, interval n unit)',
  'timestamp_sub(time, interval n unit)',
  'datetime_add(time, interval n unit)',
  'datetime_sub(time, interval n unit)',
  'date_add(time, interval n unit)',
  'date_sub(time, interval n unit)',
  'timestamp_diff(later, earlier, unit)',
  'datetime_diff(later, earlier, unit)',
  'date_diff(later, earlier, unit)',
  'extract(unit from time)',
  'format_timestamp(format, time)',
  'parse_timestamp(format, text)',
  'unix_seconds(time)',
  'unix_millis(time)',
  'unix_micros(time)',
  'timestamp_seconds(n)',
  'timestamp_millis(n)',
  'timestamp_micros(n)',
  "json_value(text, '$.key')",
  "json_query(text, '$.key')",
  "json_extract(text, '$.key')",
  "json_extract_scalar(text, '$.key')",
  'to_json_string(x)',
  "json_object('key', value, …)",
]

/** Returns the name of the function in a call. */
export const nameOfCall = (call: string): string => call.slice(0, call.indexOf('('))
