/** BigQuery's functions that are not covered, each with an example of an expression to write instead. */
export const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['ltrim', "regexp_replace(text, r'^\\s+', '')"],
  ['rtrim', "regexp_replace(text, r'\\s+$', '')"],
  ['left', 'substr(text, 1, n)'],
  ['right', 'substr(text, -n)'],
  ['lpad', "substr(concat('00000', text), -5)"],
  ['rpad', "substr(concat(text, '     '), 1, 5)"],
  ['repeat', 'concat(text, text)'],
  ['initcap', 'concat(upper(substr(text, 1, 1)), lower(substr(text, 2)))'],
  ['translate', "replace(replace(text, 'a', 'x'), 'b', 'y')"],
  ['regexp_substr', "regexp_extract(text, r'\\d+')"],
  ['search', 'contains_substr(text, part)'],
  ['normalize_and_casefold', 'lower(text)'],
  ['array_first', "split(text, ',')[safe_offset(0)]"],
  ['array_concat_agg', 'array_agg(x)'],
  ['format', "concat(a, '-', cast(n as string))"],
  ['format_date', "format_timestamp('%Y-%m-%d', date)"],
  ['format_datetime', "format_timestamp('%Y-%m-%d %H:%M:%S', datetime)"],
  ['format_time', "format_timestamp('%H:%M:%S', timestamp)"],
  ['parse_date', "date(parse_timestamp('%Y-%m-%d', text))"],
  ['parse_datetime', "datetime(parse_timestamp('%Y-%m-%d %H:%M:%S', text))"],
  ['parse_time', "format_timestamp('%H:%M:%S', parse_timestamp('%H:%M', text))"],
  ['time', "format_timestamp('%H:%M:%S', timestamp)"],
  ['current_time', "format_timestamp('%H:%M:%S', current_timestamp())"],
  ['time_trunc', "format_timestamp('%H:00:00', timestamp)"],
  ['last_day', 'date_sub(date_add(date_trunc(date(x), month), interval 1 month), interval 1 day)'],
  ['unix_date', "date_diff(date(x), date '1970-01-01', day)"],
  ['date_from_unix_date', "date_add(date '1970-01-01', interval n day)"],
  ['timestamp_bucket', 'timestamp_seconds(unix_seconds(x) - mod(unix_seconds(x), 300))'],
  ['datetime_bucket', 'datetime(timestamp_seconds(unix_seconds(timestamp(x)) - mod(unix_seconds(timestamp(x)), 300)))'],
  ['date_bucket', 'date_trunc(date(x), isoweek)'],
  ['sign', 'case when x > 0 then 1 when x < 0 then -1 else x end'],
  ['trunc', 'if(x < 0, ceil(x), floor(x))'],
  ['div', 'cast(floor(a / b) as int64)'],
  ['ieee_divide', 'safe_divide(a, b)'],
  ['safe_add', 'safe_cast(a as float64) + safe_cast(b as float64)'],
  ['safe_subtract', 'safe_cast(a as float64) - safe_cast(b as float64)'],
  ['safe_multiply', 'safe_cast(a as float64) * safe_cast(b as float64)'],
  ['safe_negate', '-safe_cast(x as float64)'],
  ['range_bucket', "case when x < 10 then 'low' else 'high' end"],
  ['bool', 'cast(x as bool)'],
  ['int64', 'cast(x as int64)'],
  ['float64', 'cast(x as float64)'],
  ['lax_bool', 'safe_cast(x as bool)'],
  ['lax_int64', 'safe_cast(x as int64)'],
  ['lax_float64', 'safe_cast(x as float64)'],
  ['lax_string', 'cast(x as string)'],
  ['parse_numeric', 'cast(text as float64)'],
  ['parse_bignumeric', 'cast(text as float64)'],
  ['json_value_array', "json_value(text, '$[0]')"],
  ['json_query_array', "json_query(text, '$[0]')"],
  ['json_extract_array', "json_query(text, '$[0]')"],
  ['json_extract_string_array', "json_value(text, '$[0]')"],
  ['to_json', 'to_json_string(x)'],
  ['logical_or', 'countif(condition) > 0'],
  ['logical_and', 'countif(not condition) = 0'],
  ['percentile_cont', 'approx_quantiles(x, 100)[offset(95)]'],
  ['percentile_disc', 'approx_quantiles(x, 100)[offset(95)]'],
  ['var_pop', 'avg(x * x) - avg(x) * avg(x)'],
])

const WINDOWS = 'Windows (OVER) are not covered: use GROUP BY.'
const LISTS = 'Lists of records are read with UNNEST: write cross join unnest(metadata.list) as element.'
const PRESENCE = 'Write contains_substr(text, part), or regexp_contains(text, pattern): whether it occurs.'
const RANKED = 'Sort and limit instead: ORDER BY y DESC LIMIT 1.'
const PATHS = 'A text of JSON is read with json_value, a field by its path.'

/** The remedy for a function that no expression replaces. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ...[
    'row_number',
    'rank',
    'dense_rank',
    'percent_rank',
    'cume_dist',
    'ntile',
    'lag',
    'lead',
    'nth_value',
    'first_value',
    'last_value',
  ].map((name) => [name, WINDOWS] as const),
  ...[
    'array_concat',
    'array_length',
    'array_to_string',
    'array_reverse',
    'array_slice',
    'array_last',
    'generate_array',
    'generate_date_array',
  ].map((name) => [name, LISTS] as const),
  ...['max_by', 'min_by'].map((name) => [name, RANKED] as const),
  ...['parse_json', 'json_type', 'json_keys', 'json_remove', 'json_set', 'json_strip_nulls'].map(
    (name) => [name, PATHS] as const,
  ),
  ...['strpos', 'instr', 'regexp_instr'].map((name) => [name, PRESENCE] as const),
  ['regexp_extract_all', 'Write regexp_extract(text, pattern), which returns the first match.'],
  ...['pow', 'power'].map((name) => [name, 'Write the product: x * x.'] as const),
  ...['octet_length', 'byte_length'].map((name) => [name, 'Write length(text), which counts characters.'] as const),
  ['approx_top_count', 'Group and sort instead: GROUP BY x ORDER BY count(*) DESC LIMIT 10.'],
  ['approx_top_sum', 'Group and sort instead: GROUP BY x ORDER BY sum(y) DESC LIMIT 10.'],
  ['generate_timestamp_array', 'Times without rows have no row: GROUP BY timestamp_trunc(timestamp, minute).'],
  ['grouping', 'GROUP BY has no grouping sets: write a query for each, with UNION ALL.'],
])

/** The other functions of BigQuery, which nothing here replaces. */
const OTHERS: ReadonlySet<string> = new Set(
  [
    'acos acosh appends ascii asin asinh atan atan2 atanh bag_of_words bit_and bit_count bit_or bit_xor',
    'bytes cbrt changes chr code_points_to_bytes code_points_to_string collate corr cos cosh cosine_distance cot coth',
    'covar_pop covar_samp csc csch edit_distance error euclidean_distance exp external_query farm_fingerprint',
    'from_base32 from_base64 from_hex gap_fill generate_range_array generate_uuid is_inf is_nan json_array',
    'json_array_append json_array_insert json_flatten justify_days justify_hours justify_interval ln log log10',
    'make_interval md5 normalize nullifzero rand range range_contains range_end range_intersect range_overlaps',
    'range_sessionize range_start reverse safe_convert_bytes_to_string sec sech session_user sha1 sha256 sha512 sin',
    'sinh soundex sqrt stddev stddev_pop stddev_samp tan tanh text_analyze time_add time_diff time_sub to_base32',
    'to_base64 to_code_points to_hex typeof unicode var_samp variance vector_search zeroifnull',
  ].flatMap((line) => line.split(' ')),
)

/** Functions of geography. */
const GEOGRAPHY = /^(?:st|s2)_/

/**
 * Returns the replacement for a function of BigQuery that is not covered, with a leading space. Empty if there is no
 * replacement, undefined for other names. The name is in lower case.
 */
export function uncoveredFunction(name: string): string | undefined {
  const remedy = REMEDIES.get(name)
  if (remedy !== undefined) return ` Write ${remedy}.`
  const hint = HINTS.get(name)
  if (hint !== undefined) return ` ${hint}`
  return OTHERS.has(name) || GEOGRAPHY.test(name) ? '' : undefined
}
