import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES } from '../../../src/sql/compile/functions.js'
import { OTHER_DIALECTS } from '../../../src/sql/compile/other-dialects.js'
import { REMEDIES, uncoveredFunction } from '../../../src/sql/compile/uncovered.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { NOW_US } from '../cases/case.js'

/** The functions of BigQuery by name. Functions with a dot in their name are refused by the parser. */
const BIGQUERY = `
  abs acos acosh any_value appends approx_count_distinct approx_quantiles approx_top_count approx_top_sum array_agg
  array_concat array_concat_agg array_first array_last array_length array_reverse array_slice array_to_string ascii asin
  asinh atan atan2 atanh avg bit_and bit_count bit_or bit_xor bool byte_length cast cbrt ceil ceiling changes
  char_length character_length chr code_points_to_bytes
  code_points_to_string collate concat contains_substr corr cos cosh
  cosine_distance cot coth count countif covar_pop covar_samp csc csch cume_dist current_date current_datetime
  current_time current_timestamp date date_add date_bucket date_diff date_from_unix_date date_sub date_trunc datetime
  datetime_add datetime_bucket datetime_diff datetime_sub datetime_trunc dense_rank div edit_distance ends_with error
  euclidean_distance exp extract farm_fingerprint first_value float64 floor format format_date format_datetime
  format_time format_timestamp from_base32 from_base64 from_hex gap_fill generate_array generate_date_array
  generate_range_array generate_timestamp_array generate_uuid greatest grouping ieee_divide if ifnull initcap instr
  int64 is_inf is_nan json_array json_array_append json_array_insert json_extract json_extract_array
  json_extract_scalar json_extract_string_array json_keys json_object json_query json_query_array json_remove json_set
  json_strip_nulls json_type json_value json_value_array justify_days justify_hours justify_interval lag last_day
  last_value lax_bool lax_float64 lax_int64 lax_string lead least left length ln log log10 logical_and logical_or lower
  lpad ltrim make_interval max max_by md5 min min_by mod normalize normalize_and_casefold nth_value ntile nullif
  octet_length parse_bignumeric parse_date parse_datetime parse_json parse_numeric parse_time parse_timestamp
  percent_rank percentile_cont percentile_disc pow power rand range range_bucket range_contains range_end
  range_intersect range_overlaps range_sessionize range_start rank regexp_contains regexp_extract regexp_extract_all
  regexp_instr regexp_replace regexp_substr repeat replace reverse right round row_number rpad rtrim safe_add safe_cast
  safe_convert_bytes_to_string safe_divide safe_multiply safe_negate safe_subtract search sec sech session_user sha1
  sha256 sha512 sign sin sinh soundex split sqrt starts_with stddev stddev_pop stddev_samp st_geogpoint string
  string_agg strpos substr substring sum tan tanh text_analyze time time_add time_diff time_sub time_trunc timestamp
  timestamp_add timestamp_bucket timestamp_diff timestamp_micros timestamp_millis timestamp_seconds timestamp_sub
  timestamp_trunc to_base32 to_base64 to_code_points to_hex to_json to_json_string translate trim trunc typeof unicode
  unix_date unix_micros unix_millis unix_seconds upper var_pop var_samp variance`
  .trim()
  .split(/\s+/)

const compile = (sql: string) => readSql(sql).plan({}, NOW_US)

describe('the functions of BigQuery', () => {
  it('are covered, or refused as not covered with their place', () => {
    for (const name of BIGQUERY.filter((one) => !FUNCTION_NAMES.includes(one))) {
      const message = `The function ${name} is not covered.${uncoveredFunction(name)} (line 1, column 8)`
      const refused = expect.objectContaining({ code: 'unsupported_sql', message })
      expect(() => compile(`select ${name}(x) from edge_logs`), name).toThrow(refused)
    }
  })

  it('have remedies that compile', () => {
    for (const [name, remedy] of REMEDIES)
      expect(
        () => compile(`select ${remedy} as y from (select metadata, date(timestamp) as date from edge_logs)`),
        name,
      ).not.toThrow()
  })

  it('are not among those of other dialects, nor are covered ones refused', () => {
    const refused = [...OTHER_DIALECTS.keys()].filter((name) => uncoveredFunction(name) !== undefined)
    expect([...refused, ...FUNCTION_NAMES.filter((name) => uncoveredFunction(name) !== undefined)]).toEqual([])
  })
})
