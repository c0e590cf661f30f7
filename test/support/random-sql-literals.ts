import { oneOf, type Random } from './random.js'

/** The parts of random expressions of SQL: types, literals, and words. */

/**
 * The type of a name for the generator: `any` differs from row to row. The contract does not fix `open`, for example a
 * sum. An `open` name is only selected.
 */
export type SqlType = 'bool' | 'int' | 'num' | 'text' | 'time' | 'datetime' | 'date' | 'any' | 'json' | 'open'

/** The types that values can be compared, sorted and grouped by without surprise. */
export const PLAIN_TYPES = ['bool', 'int', 'num', 'text', 'time', 'datetime', 'date'] as const
/** One of {@link PLAIN_TYPES}. */
export type PlainType = (typeof PLAIN_TYPES)[number]

/** Units of time that are added. */
export const UNITS = [
  'microsecond',
  'millisecond',
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
]
/** Units that dates are truncated to. */
export const LONG_UNITS = ['day', 'week', 'isoweek', 'month', 'quarter', 'year']
/** Units that times are truncated to. */
export const TRUNCATIONS = [...UNITS, 'isoweek']
/** Parts of a time of day and of a date. */
export const PARTS = ['microsecond', 'millisecond', 'second', 'minute', 'hour', 'day', 'dayofweek', 'dayofyear', 'week']
/** More parts of a date. */
export const LONG_PARTS = ['isoweek', 'isoyear', 'month', 'quarter', 'year']
/** Patterns of RE2. */
export const PATTERNS_OF_ONE_GROUP = ['a', '^e', '(\\d+)', '', '😀|é', '(?i)ERROR', '[^a]$', '\\bx', '([a-z]+)(?:\\d)?']
export const PATTERNS = ['a', '^e', '(\\d+)', '([a-z]+)(\\d)?', '', '😀|é', '(?i)ERROR', '[^a]$', '\\bx']
/** Replacements of `regexp_replace`. */
export const REPLACEMENTS = ['', 'x', '<\\0>', '\\\\', '$1', '$&é']
/** Patterns of LIKE. */
export const LIKES = ['%', '%a%', '_', 'GET%', '%\\%%', '%.co%', '', 'É%', '1_%']
/** Formats of times. */
export const FORMATS = ['%F %T', '%Y-%m-%dT%H:%M:%E6S%Ez', '%a %b %e %j %I %p', '%s', '%%F %y %u %w', '%E3S %E*S %D']
/** Texts that are read as times next to a time. */
export const TIME_TEXTS = ['2026-11-25', '2026-11-25T10:37:42.000001Z', '2026-11-25 12:37:42+02', '1795603062']
/** Paths of JSON functions. */
export const JSON_PATHS = [
  '$',
  '$.level',
  '$.response.status_code',
  '$.request[0].url',
  "$['function_id']",
  '$[0]',
  '$.none',
]

/** Literals of each type. Literals of `text` are still without quotes. */
export const LITERALS: Readonly<Record<PlainType, readonly string[]>> = {
  bool: ['true', 'false', 'TRUE', 'null'],
  int: ['0', '1', '2', '3', '7', '200', '404', '-1', '1000', '9007199254740993', 'null'],
  num: ['0.5', '-2.5', '1.5', '100.25', '.1', '1e2', '2.5e-1', 'null'],
  text: ['', 'a', 'f', 'é😀', 'error', '/rest', '12', '-1.5', '1e2', 'info', 'a,b', "it's", 'a\\d', '"', '-- x', '#/*'],
  time: [
    "timestamp '2026-11-25T10:37:42Z'",
    "timestamp '2024-02-29 23:59:59.999999+01'",
    "TIMESTAMP '1969-12-31'",
    "timestamp '9999-12-31 23:59:59.999999'",
    "timestamp '9999-12-31 23:59:59.999998'",
  ],
  datetime: [
    "datetime('2026-11-25T10:37:42')",
    "cast('1850-01-01 00:00:00.000001' as datetime)",
    "datetime '0001-01-01 00:00:00.000001'",
  ],
  date: ["date '2026-11-25'", "DATE '1969-12-31'", "date '2024-02-29'", "date '9999-12-31'"],
}

/** A text as a literal, in any of the ways to write literals. */
export function quote(random: Random, text: string): string {
  const escaped = text.replace(/\\/g, '\\\\')
  const ways = [
    `'${escaped.replace(/'/g, "''")}'`,
    `"${escaped.replace(/"/g, '\\"')}"`,
    `'${escaped.replace(/'/g, "\\'")}'`,
  ]
  if (!/['"]|\\$/.test(text)) ways.push(`r'${text}'`, `R"${text}"`)
  return oneOf(random, ways)
}
