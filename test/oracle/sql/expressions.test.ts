import { describe, expect, it } from 'vitest'
import { edge } from '../../support/records.js'
import { answerOf, errorOf, NOW_US, valueOfSql } from './answers.js'

/** Expressions and their values. */
function expectValues(values: Readonly<Record<string, unknown>>): void {
  for (const [expression, value] of Object.entries(values))
    expect([expression, valueOfSql(expression)]).toEqual([expression, value])
}

const us = (iso: string) => Date.parse(iso) * 1000

describe('literals', () => {
  it('are texts, with doubled quotes and escapes', () => {
    const texts = answerOf(
      String.raw`select 'it''s' as a, "x'\n" as b, '\d' as c, r'\n' as d, 'a\'b\\' as e, "" as f, "--" as g`,
    )
    expect(texts).toEqual([{ a: "it's", b: "x'\n", c: '\\d', d: '\\n', e: "a'b\\", f: '', g: '--' }])
    expect(answerOf(String.raw`select R"\"" as a, '\x41\u00e9\t\101' as b`)).toEqual([{ a: '\\"', b: 'Aé\tA' }])
  })

  it('are numbers, booleans, null and times', () => {
    expectValues({
      '12': 12,
      '1.5': 1.5,
      '.5': 0.5,
      '1e3': 1000,
      '-7': -7,
      '9007199254740993': 9007199254740993n,
      '-9223372036854775808': -9223372036854775808n,
      '-0x8000000000000000': -9223372036854775808n,
      TRUE: true,
      false: false,
      null: null,
      "timestamp '2026-11-24 12:00:00.5+01'": us('2026-11-24T11:00:00.500Z'),
      "date '2026-11-24'": '2026-11-24',
      'date "2026-11-24"': '2026-11-24',
    })
    expect(errorOf("select timestamp 'noon'")).toBe('invalid_sql')
  })
})

describe('operators', () => {
  it('have the precedence of SQL', () => {
    expectValues({
      '1 + 2 * 3 - 4 / 2': 5,
      '(1 + 2) * 3': 9,
      '-(2) + 5': 3,
      'not false and false': false,
      'not (false and false)': true,
      'true or false and false': true,
      'null and false': false,
      'null or true': true,
      'null = null': null,
      "'a' || 1 || true": 'a1true',
      "1 = '1.0'": true,
      '2 in (1, null)': null,
      '2 between 1 and 3 and false': false,
    })
    expect(errorOf('select 1 / 0')).toBe('invalid_sql')
    expect(errorOf('select 5 % 2')).toBe('unsupported_sql')
  })
})

describe('functions', () => {
  it('cast', () => {
    expectValues({
      "cast('12' as int64)": 12,
      "safe_cast('x' as int64)": null,
      "'1.5'::float64": 1.5,
      "cast('TRUE' as bool)": true,
      'cast(1.5 as string)': '1.5',
      "cast('2026-11-24 12:00' as timestamp)": us('2026-11-24T12:00:00Z'),
      "cast(timestamp '2026-11-24T12:00:00.123456Z' as string)": '2026-11-24 12:00:00.123456+00',
      "safe_cast('2026-11-24T12:00:00Z' as datetime)": '2026-11-24T12:00:00',
      "'2026-11-24T12:00:00Z'::date": '2026-11-24',
    })
    expect(errorOf("select cast('x' as int64)")).toBe('invalid_sql')
  })

  it('choose', () => {
    expectValues({
      "if(1 > 2, 'a', 'b')": 'b',
      'ifnull(null, 3)': 3,
      'coalesce(null, null, 4)': 4,
      'nullif(1, 1)': null,
      "case 2 when 1 then 'a' when 2 then 'b' end": 'b',
      "case when false then 'a' else 'c' end": 'c',
      'case when false then 1 end': null,
    })
  })

  it('read texts', () => {
    expectValues({
      "regexp_contains('abc', r'B|c')": true,
      "regexp_extract('abc-12', r'(\\d+)')": '12',
      "regexp_replace('a1', r'(\\d)', r'<\\1>')": 'a<1>',
      "starts_with('abc', 'ab')": true,
      "ends_with('abc', 'ab')": false,
      "contains_substr('ABC', 'b')": true,
      "lower('É')": 'é',
      "upper('a')": 'A',
      "trim(' a ')": 'a',
      "trim('xax', 'x')": 'a',
      "length('é😀')": 2,
      "concat('a', 1)": 'a1',
      "substr('abc', 2)": 'bc',
      "substr('abc', -2, 1)": 'b',
      "replace('aba', 'a', 'x')": 'xbx',
      "split('a,b')[offset(1)]": 'b',
      "split('a/b', '/')[safe_offset(2)]": null,
      "'abc' like 'a%' and 'abc' not like 'b%' and 'ABC' ilike 'a_c'": true,
    })
    expect(errorOf("select split('a')[offset(1)]")).toBe('invalid_sql')
    expect(errorOf("select regexp_contains('a', '(')")).toBe('invalid_pattern')
  })

  it('read a number that a field holds as it was sent', () => {
    const records = [edge({ metadata: '{"x":1.50,"list":[{"x":2.0}]}' })]
    expect(valueOfSql('concat(x, "|", metadata.x)', records)).toBe('1.50|1.50')
    expect(valueOfSql('(x) || "" || length(x)', records)).toBe('1.504')
    expect(valueOfSql('cast(x as string)', records)).toBe('1.50')
    expect(valueOfSql('x like "%50"', records)).toBe(true)
    expect(valueOfSql('concat(coalesce(x, 1))', records)).toBe('1.5')
    expect(valueOfSql('string_agg(x)', records)).toBe('1.50')
    expect(answerOf('select concat(x) as a, concat(l.x) as b from edge_logs, unnest(list) as l', records)).toEqual([
      { a: '2.0', b: '2.0' },
    ])
  })

  it('compute times', () => {
    const noon = "timestamp '2026-11-25 12:34:56.789012'"
    expectValues({
      [`timestamp_trunc(${noon}, week)`]: us('2026-11-22T00:00:00Z'),
      [`timestamp_trunc(${noon}, ISOWEEK)`]: us('2026-11-23T00:00:00Z'),
      [`datetime_trunc(${noon}, hour)`]: '2026-11-25T12:00:00',
      [`date_trunc(${noon}, quarter)`]: '2026-10-01',
      [`timestamp_sub(${noon}, interval 1 + 1 day)`]: us('2026-11-23T12:34:56.789Z') + 12,
      "timestamp_add('2026-01-31', interval 1 month)": us('2026-02-28T00:00:00Z'),
      [`${noon} - interval 1 hour`]: us('2026-11-25T11:34:56.789Z') + 12,
      [`timestamp_diff(${noon}, '2026-11-25', minute)`]: 754,
      'current_timestamp()': NOW_US,
      'current_date()': '2026-11-25',
      "timestamp('2026-11-25')": us('2026-11-25T00:00:00Z'),
      "datetime('2026-11-25')": '2026-11-25T00:00:00',
      [`date(${noon})`]: '2026-11-25',
      [`format_timestamp('%F %H', ${noon})`]: '2026-11-25 12',
      "parse_timestamp('%F', '2026-11-25')": us('2026-11-25T00:00:00Z'),
      [`extract(dayofweek from ${noon})`]: 4,
      [`extract(week from ${noon})`]: 47,
      [`extract(date from ${noon})`]: '2026-11-25',
      [`unix_seconds(${noon})`]: us('2026-11-25T12:34:56Z') / 1e6,
      [`unix_millis(${noon})`]: us('2026-11-25T12:34:56.789Z') / 1e3,
      [`unix_micros(${noon})`]: us('2026-11-25T12:34:56.789Z') + 12,
      'timestamp_seconds(1)': 1_000_000,
      'timestamp_millis(1)': 1000,
      'timestamp_micros(1)': 1,
    })
    expect(errorOf('select timestamp_trunc(timestamp, decade) from edge_logs', [edge()])).toBe('invalid_sql')
    expect(errorOf("select timestamp > 'noon' from edge_logs")).toBe('invalid_sql')
  })

  it('compute numbers', () => {
    expectValues({
      'safe_divide(1, 0)': null,
      'mod(-7, 3)': -1,
      'round(2.45, 1)': 2.5,
      'floor(-1.5)': -2,
      'ceil(1.2)': 2,
      'abs(-3)': 3,
      'greatest(1, 3, 2)': 3,
      'least(1, null)': null,
    })
  })

  it('read JSON', () => {
    const records = [edge({ metadata: '{"a":{"b":1.0,"c":{"d":2}}}' })]
    expect(valueOfSql("json_value(metadata, '$.a.b')", records)).toBe('1.0')
    expect(valueOfSql("json_extract_scalar(a, '$.b')", records)).toBe('1.0')
    expect(valueOfSql("json_query(metadata, '$.a.c')", records)).toBe('{"d":2}')
    expect(valueOfSql('to_json_string(a.c)', records)).toBe('{"d":2}')
  })

  it('are known, and have the right number of arguments', () => {
    expect(errorOf('select uper(id) from edge_logs')).toBe('invalid_sql')
    expect(errorOf('select eq(1, 1)')).toBe('invalid_sql')
    expect(errorOf('select upper()')).toBe('invalid_sql')
    expect(errorOf('select ifnull(1)')).toBe('invalid_sql')
  })
})

describe('aggregates', () => {
  const records = ['1', '2', '2.5', '"4"', '"x"', 'null'].map((x, i) => edge({ id: `${i}`, metadata: `{"x":${x}}` }))

  it('aggregate', () => {
    const values = {
      'count(*)': 6,
      'count(x)': 5,
      'count(distinct if(id < "2", 1, x))': 4,
      'countif(x > 1)': 3,
      'sum(x)': 9.5,
      'avg(x)': 2.375,
      'min(x)': 1,
      'max(x)': 'x',
      'any_value(if(id = "1", id, null))': '1',
      'approx_quantiles(x, 2)[offset(1)]': 2,
      'approx_quantiles(x, 2)[safe_offset(9)]': null,
      'approx_count_distinct(x)': 5,
      'array_agg(x)': [1, 2, 2.5, '4', 'x'],
      'array_agg(x limit 2)': [1, 2],
      'string_agg(id, "")': '012345',
      'string_agg(id)': '0,1,2,3,4,5',
      'max(length(id)) + min(1)': 2,
    }
    for (const [expression, value] of Object.entries(values))
      expect([expression, valueOfSql(expression, records)]).toEqual([expression, value])
  })
})
