import { expect } from 'vitest'
import { ownSourceNames, type SourceName } from '../../src/common/sources.js'
import type { Aggregate } from '../../src/plan/aggregates.js'
import { answerColumns, type ColumnKind, type Row, type Value } from '../../src/plan/answer.js'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import type { FunctionName } from '../../src/plan/functions/table.js'
import type { NamedExpression, Operator, Plan, SortKey } from '../../src/plan/plan.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../../src/plan/values/values.js'
import type { Allowed } from '../oracle/plan/aggregates.js'
import { jsonOf, textOf } from '../oracle/plan/functions.js'
import { compactJson, readJson } from '../oracle/plan/json.js'
import type { Cell, Outcome } from '../oracle/plan/run.js'
import { datetimeText } from '../oracle/plan/times.js'
import { below, oneOf, type Random } from './random.js'
import type { TestRecord } from './records.js'

/**
 * Random records and valid random plans over the records, with few values, so that keys collide. Also the comparison of
 * an answer with the oracle, which accepts every answer that the contract allows.
 */

const HOUR_US = 3_600_000_000
const NOW_US = Date.UTC(2026, 10, 25, 10, 37, 42) * 1000

/** The sources that random records have. Also an own source, if the process has one. */
const SOURCES: readonly SourceName[] = ['edge_logs', 'function_edge_logs', 'postgres_logs', ...ownSourceNames()]

const PROJECTS = ['a', 'a', 'a', 'b', 'é😀', '', null]
const MESSAGES = [
  '',
  'GET | 200 | x',
  'error: 12',
  '17',
  '-4.5',
  '1e3',
  '2026-11-25',
  'Ünïcode 😀 tail',
  'a,b,,c',
  '\u0000',
  '9007199254740993',
]
const URLS = [
  'https://a.co/rest/v1?x=1',
  'https://b.co',
  'http://é.co/ä/%20#f',
  'no scheme/at all',
  '',
  'A.CO/X',
  '12',
  'null',
]
const PATHS = ['/rest/v1', '/auth/v1', '/storage/v1/rest', '/', '']
const IDS = ['"f"', '"g"', '"F"', '""', 'null', '7', '"constructor"']
const NUMBERS = [
  '1',
  '2',
  '3',
  '2.5',
  '-0.5',
  '0',
  '-7',
  '1e3',
  '123456.789',
  '0.1',
  'null',
  '"5"',
  '200',
  '404',
  '500',
]

const LEVELS = [
  '"info"',
  '"error"',
  '"12"',
  '"true"',
  '12',
  '1.20',
  'true',
  '{"a": 1}',
  '["x"]',
  '12345678901234567890',
]
const ODD = [
  '{"a.b":{"":1.0}}',
  '{"a.b":{"":"1"},"__proto__":{"x":1}}',
  '{"\\u0061.b":[{"":"first"},{"":"second"}]}',
  '{"a.b":{"":1},"a.b":{}}',
  '{"a.b":[[{"":1}]],"__proto__":"\\ud800"}',
  '[]',
  'null',
]
const LISTS = ['[]', '[{"n":9007199254740993}]', '[{"n":"a"},{"n":"b"}]', '[1,{"n":2}]', '{"n":1e400}', '{"n":-0}']

const maybe = (random: Random, key: string, value: () => string) => (random() < 0.8 ? [`"${key}":${value()}`] : [])
const objectOf = (members: readonly string[][]) => `{${members.flat().join(',')}}`
const repeated = (random: Random, json: string) =>
  random() < 0.7 ? json : oneOf(random, [`[${json}]`, `[${json},{"level":"x"}]`, `[ ${json} , 1, null, "t", [2]]`])

function randomMetadata(random: Random): string {
  const text = (values: readonly string[]) => () => JSON.stringify(oneOf(random, values))
  const json = objectOf([
    maybe(random, 'function_id', () => oneOf(random, IDS)),
    maybe(random, 'execution_time_ms', () => oneOf(random, NUMBERS)),
    maybe(random, 'response', () =>
      repeated(random, objectOf([maybe(random, 'status_code', () => oneOf(random, NUMBERS))])),
    ),
    maybe(random, 'request', () =>
      repeated(random, objectOf([maybe(random, 'url', text(URLS)), maybe(random, 'path', text(PATHS))])),
    ),
    maybe(random, 'level', () => oneOf(random, LEVELS)),
    maybe(random, 'odd', () => oneOf(random, ODD)),
    maybe(random, 'list', () => oneOf(random, LISTS)),
  ])
  // A list of metadata starts with an object.
  return random() < 0.8 ? json : oneOf(random, [`[${json}]`, `[${json}, {"level": "second"}]`, '{}'])
}

/** Random records in order of arrival. Most times are around a few moments, some times are equal. */
export function randomRecords(random: Random, length: number, sources = SOURCES): TestRecord[] {
  return Array.from({ length }, (_, i) => ({
    source: oneOf(random, sources),
    id: `${i}`,
    timestampUs: NOW_US - oneOf(random, [0, 1, 1_000_000, HOUR_US, 24 * HOUR_US, 40 * 24 * HOUR_US]) - below(random, 4),
    project: oneOf(random, PROJECTS),
    event_message: oneOf(random, MESSAGES),
    metadata: randomMetadata(random),
  }))
}

/** The type of a column for the generator: `area` and `open` columns are passed on, but in no expression. */
type Type = 'bool' | 'int' | 'num' | 'text' | 'time' | 'datetime' | 'date' | 'list' | 'json' | 'area' | 'open'

const COMPARABLE: readonly Type[] = ['bool', 'int', 'num', 'text', 'time', 'date', 'datetime']

/** The columns that expressions read. */
export type Columns = ReadonlyMap<string, Type>

interface Scope {
  random: Random
  columns: Columns
}

type Make = (scope: Scope, depth: number) => Expression

const LITERALS: Readonly<Record<Exclude<Type, 'area' | 'open' | 'json'>, readonly Scalar[]>> = {
  bool: [true, false, null],
  int: [
    10n ** 16n,
    2n ** 62n,
    0,
    1,
    -1,
    2,
    3,
    7,
    200,
    400,
    1000,
    9007199254740991,
    9007199254740993n,
    -(2n ** 63n),
    2n ** 63n - 1n,
    null,
  ],
  num: [0.5, -2.5, 1.5, 100.25, 1e300, 0.1, -0.45, 1e16, 2 ** 62, null],
  text: [
    '',
    'a',
    'f',
    'é😀',
    'error',
    '/rest',
    '12',
    '-1.5',
    '1e2',
    '2026-11-25T10:00:00Z',
    'true',
    'a,b',
    '1764067062',
    null,
  ],
  time: [
    new Timestamp(NOW_US),
    new Timestamp(-1),
    new Timestamp(Date.UTC(2024, 1, 29, 23, 59, 59) * 1000 + 999_999),
    new Timestamp(253_402_300_799_999_999n),
    new Timestamp(253_402_300_799_999_998n),
    null,
  ],
  datetime: [new Datetime(NOW_US), new Datetime(-3_786_825_600_000_001), new Datetime(-62_135_596_799_999_999n), null],
  date: [new CivilDate(20_782), new CivilDate(-1), new CivilDate(19_782), new CivilDate(2_932_896), null],
  list: [],
}

const UNITS = [
  'microsecond',
  'millisecond',
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'isoweek',
  'month',
  'quarter',
  'year',
]
const PARTS = [
  'microsecond',
  'millisecond',
  'second',
  'minute',
  'hour',
  'day',
  'dayofweek',
  'dayofyear',
  'week',
  'isoweek',
  'isoyear',
  'month',
  'quarter',
  'year',
]
const PATTERNS_OF_ONE_GROUP = ['a', '^e', '(\\d+)', '', '😀|é', '(?i)ERROR', '[^a]$', '\\bx', '([a-z]+)(?:\\d)?']
const PATTERNS = ['a', '^e', '(\\d+)', '([a-z]+)(\\d)?', '', '😀|é', '(?i)ERROR', '[^a]$', '\\bx']
const REPLACEMENTS = ['', 'x', '<\\0>', '\\\\', '$1', '$&é']
const LIKES = ['%', '%a%', '_', 'GET%', '%\\%%', '%.co%', '', 'É%']
const FORMATS = ['%F %T', '%Y-%m-%dT%H:%M:%E6S%Ez', '%a %b %e %j %I %p', '%s', '%%F %y %u %w', '%E3S %E*S %D']
const PATHS_IN_JSON = [
  '$',
  '$.level',
  '$.response.status_code',
  '$.request[0].url',
  "$['function_id']",
  '$[0]',
  '$.none',
  '$[3]',
]

const PATHS_IN_REPEATED = [
  '$[0].level',
  '$[0].response[0].status_code',
  '$[0].request[0].url',
  '$[0].list[0].n',
  '$.level',
]

/** Paths of fields: declared fields, other fields, and fields that no record has. */
const FIELDS: readonly (readonly string[])[] = [
  ['function_id'],
  ['execution_time_ms'],
  ['response', 'status_code'],
  ['request', 'url'],
  ['request', 'path'],
  ['request', 'method'],
  ['request'],
  ['level'],
  ['odd', 'a.b', ''],
  ['odd', '__proto__'],
  ['list'],
  ['list', 'n'],
  ['none', 'x'],
]

const word = ({ random }: Scope, words: readonly Scalar[]) => literal(oneOf(random, words))
const f = (fn: FunctionName, ...args: Expression[]) => call(fn, ...args)

/** A field of a random path, or undefined if no column is JSON. */
function fieldOf({ random, columns }: Scope): Expression | undefined {
  const json = [...columns].filter(([, type]) => type === 'json').map(([name]) => name)
  if (json.length === 0) return undefined
  const keys = oneOf(random, FIELDS).map(literal)
  return f(oneOf(random, ['field', 'field', 'field', 'field_text']), column(oneOf(random, json)), ...keys)
}

/** Any value: of the same type in each row, or of types that differ. */
const anything: Make = (scope, depth) =>
  (scope.random() < 0.2 && fieldOf(scope)) || expressionOf(scope, oneOf(scope.random, COMPARABLE), depth)
const textLike: Make = (scope, depth) =>
  scope.random() < 0.7 ? expressionOf(scope, 'text', depth) : anything(scope, depth)
const numberLike: Make = (scope, depth) => expressionOf(scope, oneOf(scope.random, ['int', 'num'] as const), depth)
const timeLike: Make = (scope, depth) =>
  expressionOf(scope, oneOf(scope.random, ['time', 'time', 'time', 'datetime', 'date'] as const), depth)
const jsonLike: Make = (scope, depth) => expressionOf(scope, scope.random() < 0.6 ? 'json' : 'text', depth)
const small: Make = (scope) => word(scope, [0, 1, 2, 3, 5, -1, -2, null])

/** Calls that return a type. Some calls fail now and then. */
type Makers = Readonly<Record<string, Make>>

const ofType =
  (type: Type): Make =>
  (scope, depth) =>
    expressionOf(scope, type, depth)

/** Choices between values of the same type. */
const choices = (type: Type): Makers => ({
  if: (s, d) => f('if', expressionOf(s, 'bool', d), expressionOf(s, type, d), expressionOf(s, type, d)),
  case: (s, d) =>
    f(
      'case',
      expressionOf(s, 'bool', d),
      expressionOf(s, type, d),
      ...(s.random() < 0.5 ? [expressionOf(s, type, d)] : [expressionOf(s, 'bool', d), expressionOf(s, type, d)]),
    ),
  coalesce: (s, d) => f('coalesce', expressionOf(s, type, d), expressionOf(s, type, d)),
  nullif: (s, d) => f('nullif', expressionOf(s, type, d), expressionOf(s, type, d)),
})

/** Any value, but no literal text: next to a time, a text that is no time is wrong. */
const mixed: Make = (s, d) => {
  const value = anything(s, d)
  return value.kind === 'literal' && typeof value.value === 'string' ? f('concat', value) : value
}

/** Values of any types. */
const listOf = ({ random }: Scope, length: number): Scalar[] =>
  Array.from({ length }, () => oneOf(random, LITERALS[oneOf(random, COMPARABLE) as 'int']))
/** The same value, or a time in place of a text that may be none. */
const timeIfText = (value: Scalar) => (typeof value === 'string' ? '2026-11-25T10:00:00Z' : value)

const comparison =
  (fn: FunctionName): Make =>
  (s, d) => {
    if (s.random() < 0.2) return f(fn, mixed(s, d), mixed(s, d))
    const type = oneOf(s.random, COMPARABLE)
    return f(fn, expressionOf(s, type, d), expressionOf(s, type, d))
  }

const two =
  (fn: FunctionName, make: Make): Make =>
  (s, d) =>
    f(fn, make(s, d), make(s, d))
const one =
  (fn: FunctionName, make: Make): Make =>
  (s, d) =>
    f(fn, make(s, d))

const BOOL: Makers = {
  and: two('and', ofType('bool')),
  or: two('or', ofType('bool')),
  not: one('not', ofType('bool')),
  is_null: one('is_null', anything),
  is_true: one('is_true', ofType('bool')),
  is_false: one('is_false', ofType('bool')),
  eq: comparison('eq'),
  ne: comparison('ne'),
  lt: comparison('lt'),
  le: comparison('le'),
  gt: comparison('gt'),
  ge: comparison('ge'),
  in: (s, d) =>
    s.random() < 0.5
      ? f('in', mixed(s, d), mixed(s, d), mixed(s, 0), mixed(s, 0))
      : f('in', mixed(s, d), ...listOf(s, 7 + below(s.random, 3)).map((value) => literal(timeIfText(value)))),
  in_list: (s, d) => f('in_list', anything(s, d), literal(listOf(s, below(s.random, 4)))),
  starts_with: two('starts_with', textLike),
  ends_with: two('ends_with', textLike),
  contains: two('contains', textLike),
  contains_substr: two('contains_substr', textLike),
  like: (s, d) => f('like', textLike(s, d), s.random() < 0.8 ? word(s, LIKES) : expressionOf(s, 'text', d)),
  ilike: (s, d) => f('ilike', textLike(s, d), word(s, LIKES)),
  regexp_contains: (s, d) => f('regexp_contains', textLike(s, d), word(s, PATTERNS)),
  safe_cast_bool: one('safe_cast_bool', textLike),
}

const arithmetic = (type: 'int' | 'num'): Makers => ({
  add: two('add', ofType(type)),
  sub: two('sub', ofType(type)),
  mul: (s, d) => f('mul', expressionOf(s, type, d), small(s, d)),
  neg: one('neg', ofType(type)),
  abs: one('abs', ofType(type)),
  mod: (s, d) => f('mod', expressionOf(s, type, d), word(s, [2, 3, -7, 10, 2n ** 62n])),
  greatest: two('greatest', ofType(type)),
  least: two('least', ofType(type)),
})

const INT: Makers = {
  ...arithmetic('int'),
  length: one('length', textLike),
  extract: (s, d) => f('extract', timeLike(s, d), word(s, PARTS)),
  timestamp_diff: (s, d) => f('timestamp_diff', expressionOf(s, 'time', d), timeLike(s, d), word(s, UNITS)),
  date_diff: (s, d) => f('date_diff', timeLike(s, d), timeLike(s, d), word(s, UNITS)),
  unix_seconds: one('unix_seconds', timeLike),
  unix_millis: one('unix_millis', timeLike),
  unix_micros: one('unix_micros', timeLike),
  safe_cast_int64: one('safe_cast_int64', anything),
}

const NUM: Makers = {
  ...arithmetic('num'),
  safe_divide: two('safe_divide', numberLike),
  round: (s, d) => f('round', expressionOf(s, 'num', d), ...(s.random() < 0.5 ? [] : [small(s, d)])),
  floor: one('floor', numberLike),
  ceil: one('ceil', numberLike),
  safe_cast_float64: one('safe_cast_float64', anything),
}

const TEXT: Makers = {
  lower: one('lower', textLike),
  upper: one('upper', textLike),
  trim: (s, d) => f('trim', textLike(s, d), ...(s.random() < 0.5 ? [] : [word(s, ['/', 'ah', '😀é', '', null])])),
  concat: two('concat', textLike),
  substr: (s, d) => f('substr', textLike(s, d), small(s, d), ...(s.random() < 0.5 ? [] : [word(s, [0, 1, 3, 20])])),
  replace: (s, d) => f('replace', textLike(s, d), word(s, ['a', '', '/', '😀', 'o']), word(s, ['', 'b', '😀', 'aa'])),
  url_path: one('url_path', ofType('text')),
  regexp_extract: (s, d) => f('regexp_extract', textLike(s, d), word(s, PATTERNS_OF_ONE_GROUP)),
  regexp_replace: (s, d) => f('regexp_replace', textLike(s, d), word(s, PATTERNS), word(s, REPLACEMENTS)),
  safe_offset: (s, d) => f('safe_offset', expressionOf(s, 'list', d), small(s, d)),
  json_value: (s, d) => f('json_value', jsonLike(s, d), ...(s.random() < 0.2 ? [] : [word(s, PATHS_IN_JSON)])),
  json_query: (s, d) => f('json_query', jsonLike(s, d), word(s, PATHS_IN_JSON)),
  repeated: (s, d) => f('json_value', f('repeated', jsonLike(s, d)), word(s, PATHS_IN_REPEATED)),
  to_json_string: one('to_json_string', anything),
  json_object: (s, d) => {
    const key = () => word(s, ['a', 'b', 'a"b', '', null])
    return f('to_json_string', f('json_object', key(), anything(s, d), key(), anything(s, d)))
  },
  cast_string: one('cast_string', anything),
  safe_cast_string: one('safe_cast_string', anything),
  format_timestamp: (s, d) => f('format_timestamp', word(s, FORMATS), timeLike(s, d)),
}

const TIME: Makers = {
  timestamp_trunc: (s, d) => f('timestamp_trunc', timeLike(s, d), word(s, UNITS)),
  timestamp_bucket: (s, d) => f('timestamp_bucket', timeLike(s, d), word(s, [1, 7, 5e6, 900e6, 172_800e6])),
  time_add: (s, d) => f('time_add', expressionOf(s, 'time', d), small(s, d), word(s, UNITS)),
  known_time: one('known_time', timeLike),
  timestamp_seconds: one('timestamp_seconds', (s) => word(s, [0, 1764067062, -1, '12', null])),
  timestamp_millis: one('timestamp_millis', (s) => word(s, [0, 1764067062123, -1, null])),
  timestamp_micros: one('timestamp_micros', (s, d) => f('mod', expressionOf(s, 'int', d), literal(1_000_000_000))),
  safe_cast_timestamp: one('safe_cast_timestamp', anything),
}

const DATETIME: Makers = {
  datetime_trunc: (s, d) => f('datetime_trunc', timeLike(s, d), word(s, UNITS)),
  time_add: (s, d) => f('time_add', expressionOf(s, 'datetime', d), small(s, d), word(s, UNITS)),
  safe_cast_datetime: one('safe_cast_datetime', anything),
}

const DATE: Makers = {
  date_trunc: (s, d) => f('date_trunc', timeLike(s, d), word(s, UNITS.slice(5))),
  time_add: (s, d) => f('time_add', expressionOf(s, 'date', d), small(s, d), word(s, UNITS.slice(5))),
  extract: (s, d) => f('extract', expressionOf(s, 'time', d), literal('date')),
  safe_cast_date: one('safe_cast_date', anything),
}

const LIST: Makers = {
  split: (s, d) => f('split', textLike(s, d), ...(s.random() < 0.5 ? [] : [word(s, ['/', '', 'a'])])),
}

/** Calls that often fail. */
const FAILING: Partial<Record<Type, Makers>> = {
  bool: { cast_bool: one('cast_bool', textLike), and: two('and', anything) },
  int: { cast_int64: one('cast_int64', anything), mod: two('mod', ofType('int')) },
  num: { div: two('div', numberLike), cast_float64: one('cast_float64', anything), add: two('add', anything) },
  text: { offset: (s, d) => f('offset', expressionOf(s, 'list', d), small(s, d)) },
  time: {
    cast_timestamp: one('cast_timestamp', anything),
    parse_timestamp: (s, d) => f('parse_timestamp', word(s, ['%F', '%Y-%m-%dT%H:%M:%SZ']), expressionOf(s, 'text', d)),
  },
  datetime: { cast_datetime: one('cast_datetime', anything) },
  date: { cast_date: one('cast_date', anything) },
}
const FAIL_SHARE = 0.01

const MAKERS: Partial<Record<Type, Makers>> = {
  bool: { ...BOOL, ...choices('bool') },
  int: { ...INT, ...choices('int') },
  num: { ...NUM, ...choices('num') },
  text: { ...TEXT, ...choices('text') },
  time: { ...TIME, ...choices('time') },
  datetime: { ...DATETIME, ...choices('datetime') },
  date: { ...DATE, ...choices('date') },
  list: LIST,
}

/** The names of the functions that random plans call. */
export const RANDOM_FUNCTIONS: ReadonlySet<string> = new Set([
  'field',
  'field_text',
  ...[...Object.values(MAKERS), ...Object.values(FAILING)].flatMap(Object.keys),
])

/** A random expression of a type, over the columns of a scope. `depth` bounds the calls. */
function expressionOf(scope: Scope, type: Type, depth: number): Expression {
  const { random, columns } = scope
  const own = [...columns].filter(([, of]) => of === type).map(([name]) => name)
  if (type === 'json') return own.length === 0 ? expressionOf(scope, 'text', depth) : column(oneOf(random, own))
  const isCall = type === 'list' || random() < 0.75
  if (depth > 0 && isCall) {
    if (random() < FAIL_SHARE && FAILING[type] !== undefined)
      return oneOf(random, Object.values(FAILING[type]))(scope, depth - 1)
    const area = [...columns].find(([, of]) => of === 'area')
    if (type === 'bool' && area !== undefined && random() < 0.3) {
      return f('contains', column(area[0]), literal(oneOf(random, ['/rest', '/storage', '/auth', '/realtime'])))
    }
    return oneOf(random, Object.values(MAKERS[type]!))(scope, depth - 1)
  }
  if (type === 'list') return own.length > 0 ? column(oneOf(random, own)) : f('split', expressionOf(scope, 'text', 0))
  if (own.length > 0 && random() < 0.8) return column(oneOf(random, own))
  return literal(oneOf(random, LITERALS[type as 'int']))
}

const SOURCE_COLUMNS: Partial<Record<SourceName, readonly (readonly [string, Type])[]>> = {
  edge_logs: [
    ['url', 'text'],
    ['path', 'area'],
    ['status_code', 'num'],
  ],
  function_edge_logs: [
    ['function_id', 'text'],
    ['execution_time_ms', 'num'],
    ['status_code', 'num'],
  ],
}
const COMMON: readonly (readonly [string, Type])[] = [
  ['id', 'text'],
  ['timestamp', 'time'],
  ['event_message', 'text'],
  ['project', 'text'],
  ['metadata', 'json'],
]

/** Operators so far, and the columns behind the operators. */
interface Draft {
  plan: Operator[]
  columns: ReadonlyMap<string, Type>
}

/** The most plans of `isIn` within each other. */
const MOST_INNER = 2

class PlanMaker {
  readonly #random: Random
  #names = 0
  /** How many plans of `isIn` are around the current plan. */
  #inner = 0

  constructor(random: Random) {
    this.#random = random
  }

  #chance(share: number): boolean {
    return this.#random() < share
  }

  #name(): string {
    return `c${this.#names++}`
  }

  #scope(draft: Draft): Scope {
    return { random: this.#random, columns: draft.columns }
  }

  #expression(draft: Draft, type: Type, depth = 1 + below(this.#random, 3)): Expression {
    return expressionOf(this.#scope(draft), type, depth)
  }

  scan(): Draft {
    const sources: SourceName[] = this.#chance(0.75)
      ? [oneOf(this.#random, SOURCES)]
      : SOURCES.filter(() => this.#chance(0.7))
    if (sources.length === 0) sources.push('edge_logs')
    const each = sources.map((source) => new Map(SOURCE_COLUMNS[source] ?? []))
    const shared = [...each[0]!].filter(([name, type]) => each.every((other) => other.get(name) === type))
    const [fromUs, throughUs] = oneOf(this.#random, [
      [0, NOW_US],
      [-1e15, 1e16],
      [NOW_US - HOUR_US, NOW_US],
      [NOW_US - 25 * HOUR_US, NOW_US - 1],
      [NOW_US, NOW_US - 1],
    ] as const)
    return { plan: [{ op: 'scan', sources, fromUs, throughUs }], columns: new Map([...COMMON, ...shared]) }
  }

  #unnest(draft: Draft): Draft {
    const json = [...draft.columns].filter(([, type]) => type === 'json' || type === 'list').map(([name]) => name)
    const list =
      json.length > 0 && this.#chance(0.6) ? column(oneOf(this.#random, json)) : this.#expression(draft, 'list')
    const name = this.#name()
    const isOfText = list.kind === 'call' || draft.columns.get(list.kind === 'column' ? list.name : '') === 'list'
    return {
      plan: [...draft.plan, { op: 'unnest', list, name, isOuter: this.#chance(0.5) }],
      columns: new Map([...draft.columns, [name, isOfText ? 'text' : 'json']]),
    }
  }

  #filter(draft: Draft): Draft {
    const where = this.#chance(0.3) ? this.#plainFilter(draft) : this.#expression(draft, 'bool')
    return { plan: [...draft.plan, { op: 'filter', where }], columns: draft.columns }
  }

  /** A condition of the kind that engines have fast ways for. */
  #plainFilter(draft: Draft): Expression {
    const texts = [...draft.columns].filter(([, type]) => type === 'text').map(([name]) => name)
    if (texts.length === 0) return this.#expression(draft, 'bool')
    const name = draft.columns.get('project') === 'text' && this.#chance(0.5) ? 'project' : oneOf(this.#random, texts)
    if (this.#chance(0.3)) return f('regexp_contains', column(name), literal(oneOf(this.#random, PATTERNS)))
    const words = ['a', 'b', 'f', 'g', '', URLS[0]!]
    if (this.#chance(0.3)) {
      const among = [oneOf(this.#random, words), ...words.filter(() => this.#chance(0.5))]
      const isAmong = f('in', column(name), ...among.map(literal))
      return this.#chance(0.3) ? f('not', isAmong) : isAmong
    }
    return f('eq', column(name), literal(oneOf(this.#random, words)))
  }

  #columns(draft: Draft, count: number): { made: NamedExpression[]; types: [string, Type][] } {
    const types = Array.from({ length: count }, (): [string, Type] => {
      const replaced = this.#chance(0.1) ? [...draft.columns.keys()].filter((name) => name !== 'path') : []
      return [replaced.length > 0 ? oneOf(this.#random, replaced) : this.#name(), oneOf(this.#random, COMPARABLE)]
    })
    const unique = [...new Map(types)]
    return { made: unique.map(([name, type]) => ({ name, value: this.#expression(draft, type) })), types: unique }
  }

  #extend(draft: Draft): Draft {
    const { made, types } = this.#columns(draft, 1 + below(this.#random, 2))
    return { plan: [...draft.plan, { op: 'extend', columns: made }], columns: new Map([...draft.columns, ...types]) }
  }

  #key(draft: Draft): [Expression, Type] {
    if (this.#chance(0.3) && draft.columns.get('timestamp') === 'time') {
      const unit = literal(oneOf(this.#random, UNITS))
      if (this.#chance(0.3)) return [f('datetime_trunc', column('timestamp'), unit), 'datetime']
      return [f('timestamp_trunc', column('timestamp'), unit), 'time']
    }
    const plain = [...draft.columns].filter(([name, type]) => COMPARABLE.includes(type) && name !== 'id')
    if (plain.length > 0 && this.#chance(0.6)) {
      const [name, type] = oneOf(this.#random, plain)
      return [column(name), type]
    }
    const type = oneOf(this.#random, COMPARABLE)
    return [this.#expression(draft, type), type]
  }

  #aggregate(draft: Draft): [Aggregate, Type] {
    const number = () => this.#expression(draft, oneOf(this.#random, ['num', 'num', 'int', 'text'] as const))
    const numeric = () => this.#expression(draft, oneOf(this.#random, ['num', 'int'] as const))
    const type = oneOf(this.#random, COMPARABLE)
    const any = () => this.#expression(draft, type)
    const makers: (() => [Aggregate, Type])[] = [
      () => [{ fn: 'count', args: [] }, 'int'],
      () => [{ fn: 'count', args: [any()] }, 'int'],
      () => [{ fn: 'countif', args: [this.#expression(draft, 'bool')] }, 'int'],
      () => [{ fn: 'share', args: [this.#expression(draft, 'bool')] }, 'num'],
      () => [{ fn: 'sum', args: [number()] }, 'open'],
      () => [{ fn: 'avg', args: [number()] }, 'open'],
      () => [{ fn: 'min', args: [any()] }, type],
      () => [{ fn: 'max', args: [any()] }, type],
      () => [{ fn: 'any_value', args: [any()] }, 'open'],
      () => [{ fn: 'quantile', args: [numeric(), literal(oneOf(this.#random, [0, 50, 95, 99.9, 100]))] }, 'open'],
      () => [{ fn: 'approx_quantiles', args: [numeric(), literal(oneOf(this.#random, [1, 2, 4, 10]))] }, 'open'],
      () => [{ fn: 'count_distinct', args: [any()] }, 'int'],
      () => [{ fn: 'approx_count_distinct', args: [any()] }, 'int'],
      () => [
        { fn: 'array_agg', args: [any(), ...(this.#chance(0.5) ? [literal(below(this.#random, 5) + 1)] : [])] },
        'open',
      ],
      () => [
        { fn: 'string_agg', args: [any(), ...(this.#chance(0.5) ? [literal(oneOf(this.#random, [';', '']))] : [])] },
        'open',
      ],
    ]
    return oneOf(this.#random, makers)()
  }

  #group(draft: Draft): Draft {
    const keys = Array.from({ length: below(this.#random, 4) }, () => ({ name: this.#name(), key: this.#key(draft) }))
    const aggregates = Array.from({ length: 1 + below(this.#random, 4) }, () => ({
      name: this.#name(),
      made: this.#aggregate(draft),
    }))
    const columns: [string, Type][] = [
      ...keys.map(({ name, key }): [string, Type] => [name, key[1]]),
      ...aggregates.map(({ name, made }): [string, Type] => [name, made[1]]),
    ]
    const operator: Operator = {
      op: 'group',
      keys: keys.map(({ name, key }) => ({ name, value: key[0] })),
      aggregates: aggregates.map(({ name, made }) => ({ name, value: made[0] })),
    }
    return { plan: [...draft.plan, operator], columns: new Map(columns) }
  }

  #sortKeys(draft: Draft, count: number): SortKey[] {
    return Array.from({ length: count }, () => ({
      by: this.#chance(0.7) ? this.#key(draft)[0] : this.#expression(draft, oneOf(this.#random, COMPARABLE)),
      direction: oneOf(this.#random, ['asc', 'desc'] as const),
      nulls: oneOf(this.#random, ['first', 'last'] as const),
    }))
  }

  #orderBy(draft: Draft): Draft {
    const byTime: SortKey[] = [{ by: column('timestamp'), direction: 'desc', nulls: 'last' }]
    const isByTime = draft.columns.get('timestamp') === 'time' && this.#chance(0.4)
    if (isByTime && this.#chance(0.5)) return this.#ranked(draft) ?? draft
    const keys = isByTime ? byTime : this.#sortKeys(draft, 1 + below(this.#random, 3))
    return { plan: [...draft.plan, { op: 'orderBy', keys }], columns: draft.columns }
  }

  /** An order by the stored time with ranks, or undefined if the rows cannot have ranks. */
  #ranked(draft: Draft, type: Type = 'open'): Draft | undefined {
    if (!hasStoredTime(draft.plan)) return undefined
    const direction = oneOf(this.#random, ['asc', 'desc', 'desc'] as const)
    const rank = this.#name()
    const order: Operator = { op: 'orderBy', keys: [{ by: column('timestamp'), direction, nulls: 'last' }], rank }
    return { plan: [...draft.plan, order], columns: new Map([...draft.columns, [rank, type]]) }
  }

  /** A limit within a plan, behind an order with ranks, of rows with a known order of arrival. */
  #rankedLimit(draft: Draft): Draft {
    if (!isArrivalKnown(draft.plan)) return draft
    const ranked = this.#ranked(this.#select(draft), 'int')
    if (ranked === undefined) return draft
    const rows = this.#chance(0.8) ? below(this.#random, 30) : 1000
    const limit: Operator = { op: 'limit', rows, offset: below(this.#random, 4) }
    return { plan: [...ranked.plan, limit], columns: ranked.columns }
  }

  /** A limit within a plan, behind an order without ties: rows that are equal in all columns are alike. */
  #innerLimit(draft: Draft): Draft {
    const isOpen = [...draft.columns.values()].some((type) => type === 'open' || type === 'area')
    if (isOpen) return draft
    const keys = [...draft.columns.keys()].map(
      (name): SortKey => ({ by: column(name), direction: 'asc', nulls: 'last' }),
    )
    const [first] = this.#sortKeys(draft, 1)
    const limit: Operator = { op: 'limit', rows: below(this.#random, 30), offset: below(this.#random, 4) }
    return { plan: [...draft.plan, { op: 'orderBy', keys: [first!, ...keys] }, limit], columns: draft.columns }
  }

  #rowSteps(draft: Draft, most: number): Draft {
    let next = draft
    for (let steps = below(this.#random, most + 1); steps > 0; steps--) {
      const kind = this.#random()
      if (kind < 0.1 && this.#inner < MOST_INNER) next = this.#isIn(next)
      else next = kind < 0.5 ? this.#filter(next) : kind < 0.85 ? this.#extend(next) : this.#unnest(next)
    }
    return next
  }

  #isIn(draft: Draft): Draft {
    this.#inner++
    const type = oneOf(this.#random, COMPARABLE)
    let inner = this.#chance(0.1) ? this.#union([type]) : this.#part([type])
    if (this.#chance(0.2)) inner = this.#innerLimit(inner)
    this.#inner--
    const value = this.#chance(0.7) ? this.#expression(draft, type) : mixed(this.#scope(draft), 1)
    const name = this.#name()
    return {
      plan: [...draft.plan, { op: 'isIn', value, plan: inner.plan, name }],
      columns: new Map([...draft.columns, [name, 'bool']]),
    }
  }

  /** Some columns of a draft, and computed columns. Columns of areas have no value that can be selected. */
  #select(draft: Draft): Draft {
    const kept = [...draft.columns].filter(([, type]) => type !== 'area' && this.#chance(0.6))
    const { made, types } = this.#columns(draft, kept.length === 0 ? 2 : below(this.#random, 2))
    const all = new Map(kept.map(([name]): [string, Expression] => [name, column(name)]))
    for (const { name, value } of made) all.set(name, value)
    return {
      plan: [...draft.plan, { op: 'select', columns: [...all].map(([name, value]) => ({ name, value })) }],
      columns: new Map([...kept, ...types]),
    }
  }

  /** Rows or groups with columns of the given types. */
  #part(types: readonly Type[]): Draft {
    const draft = this.#chance(0.3) ? this.#group(this.#rowSteps(this.scan(), 1)) : this.#rowSteps(this.scan(), 2)
    const columns = types.map((type) => ({ name: this.#name(), value: this.#expression(draft, type) }))
    return {
      plan: [...draft.plan, { op: 'select', columns } as Operator],
      columns: new Map(columns.map(({ name }, i) => [name, types[i]!])),
    }
  }

  #union(types = Array.from({ length: 1 + below(this.#random, 3) }, () => oneOf(this.#random, COMPARABLE))): Draft {
    const plans = Array.from({ length: 1 + below(this.#random, 3) }, () => this.#part(types))
    return { plan: [{ op: 'union', plans: plans.map(({ plan }) => plan) }], columns: plans[0]!.columns }
  }

  /** Often the rows of a single project, as in endpoints. */
  #ofProject(draft: Draft): Draft {
    if (this.#chance(0.6)) return draft
    const where = f('eq', column('project'), literal(oneOf(this.#random, ['a', 'a', 'b'])))
    return { plan: [...draft.plan, { op: 'filter', where }], columns: draft.columns }
  }

  make(): Plan {
    let draft = this.#rowSteps(this.#chance(0.15) ? this.#union() : this.#ofProject(this.scan()), 3)
    if (this.#chance(0.1)) draft = this.#innerLimit(this.#select(draft))
    else if (this.#chance(0.3)) draft = this.#rankedLimit(draft)
    if (this.#chance(0.55)) {
      draft = this.#rowSteps(this.#group(draft), 1)
      if (this.#chance(0.15)) draft = this.#group(draft)
    }
    const isPlain = ![...draft.columns.values()].includes('area')
    if (!isPlain || this.#chance(0.5)) draft = this.#select(draft)
    if (this.#chance(0.6)) draft = this.#orderBy(draft)
    const rows = oneOf(this.#random, [0, 1, 3, 10, 1000])
    const limit: Operator = { op: 'limit', rows, offset: this.#chance(0.2) ? below(this.#random, 5) : 0 }
    return this.#chance(0.7) ? [...draft.plan, limit] : draft.plan
  }
}

const isColumn = (value: Expression, name: string) => value.kind === 'column' && value.name === name

/** Whether the rows of a plan are stored rows with the stored time. */
function hasStoredTime([first, ...others]: Plan): boolean {
  if (first?.op !== 'scan') return false
  return others.every((operator) => {
    if (operator.op === 'extend' || operator.op === 'select')
      return operator.columns.every(({ name, value }) => name !== 'timestamp' || isColumn(value, name))
    return operator.op === 'filter' || operator.op === 'unnest' || operator.op === 'isIn'
  })
}

/** Whether rows are of a single source and project, with a row for each stored row. */
function isArrivalKnown([first, second, ...others]: Plan): boolean {
  if (first?.op !== 'scan' || first.sources.length !== 1 || second?.op !== 'filter') return false
  const { where } = second
  const isOfProject = where.kind === 'call' && where.fn === 'eq' && isColumn(where.args[0]!, 'project')
  return isOfProject && others.every(({ op }) => op !== 'unnest')
}

/** A random plan that is valid over {@link randomRecords}. Most plans run. Some raise an error of the query. */
export function randomPlan(random: Random): Plan {
  return new PlanMaker(random).make()
}

/** A random expression over the columns that all sources have, or others. */
export function randomExpression(
  random: Random,
  depth: number,
  { columns = new Map(COMMON), type = oneOf(random, COMPARABLE) }: Partial<{ columns: Columns; type: Type }> = {},
): Expression {
  return expressionOf({ random, columns }, type, depth)
}

/** The answer to a plan: the rows, or the code of the error that the plan raised. */
export type Answer = readonly Row[] | { error: string }

/** Expects that the outcome of the oracle allows an answer. Otherwise shows the plan. */
export function compareRows(actual: Answer, expected: Outcome, plan: Plan): void {
  const complaint = complaintAbout(actual, expected) ?? kindComplaint(actual, plan)
  if (complaint !== undefined) expect.fail(`${complaint}\n${showPlan(plan)}`)
}

const isJson = (value: Value) => value instanceof RawJson
const isText = (value: Value) => typeof value === 'string'
const isWhole = (value: Value) => Number.isSafeInteger(value)
const isDigits = (value: Value) => value instanceof RawJson && /^-?\d+$/.test(value.text)

/** Whether a value that is not null is of the type that the column has in Arrow and CSV. */
const IS_KIND: Readonly<Record<ColumnKind, (value: Value) => boolean>> = {
  text: isText,
  json: isJson,
  microseconds: (value) => isWhole(value) || isDigits(value),
  datetime: isText,
  integer: (value) => Number.isInteger(value) || isDigits(value),
  count: isWhole,
  double: (value) => typeof value === 'number' || isDigits(value),
  boolean: (value) => typeof value === 'boolean',
  any: () => true,
}

function kindComplaint(actual: Answer, plan: Plan): string | undefined {
  if ('error' in actual) return undefined
  for (const { name, kind } of answerColumns(plan)) {
    const wrong = actual.find((row) => (row[name] === null ? kind === 'count' : !IS_KIND[kind](row[name]!)))
    if (wrong !== undefined) return `has ${show(wrong[name])} in the column ${name} of kind ${kind}`
  }
  return undefined
}

function complaintAbout(actual: Answer, { must, may, isOpen, ...expected }: Outcome): string | undefined {
  if ('error' in actual) {
    if (must.has(actual.error) || may.has(actual.error)) return undefined
    return `raised ${actual.error}, allowed: ${[...must, ...may].join(', ') || 'no error'}`
  }
  if (must.size > 0) return `raised no error, but had to: ${[...must].join(', ')}; rows: ${show(actual.slice(0, 3))}`
  return isOpen ? undefined : rowComplaint(actual, expected)
}

function rowComplaint(actual: readonly Row[], expected: Omit<Outcome, 'must' | 'may' | 'isOpen'>): string | undefined {
  const { rows, ranks, limit, offset, columns } = expected
  const count = Math.max(0, Math.min(limit, rows.length - offset))
  if (actual.length !== count) return `has ${actual.length} rows, expected ${count}: ${showCells(rows.slice(0, 5))}`
  const wrong = actual.find((row) => Object.keys(row).join() !== columns.join())
  if (wrong !== undefined) return `has the columns ${Object.keys(wrong).join()}, expected ${columns.join()}`
  const candidates = actual.map((row, i) => {
    return rows.flatMap((cells, j) => (ranks[j] === ranks[offset + i] && isRow(row, cells, columns) ? [j] : []))
  })
  const unmatched = firstUnmatched(candidates)
  if (unmatched < 0) return undefined
  const nearby = rows.filter((_, j) => ranks[j] === ranks[offset + unmatched])
  const wanted = `expected one of ${nearby.length}: ${showCells(nearby.slice(0, 5))}`
  return `row ${unmatched} is not expected: ${show(actual[unmatched])}\n${wanted}`
}

/** Gives each row a distinct candidate (H. Kuhn). Returns the first row that gets no candidate, or -1. */
function firstUnmatched(candidates: readonly (readonly number[])[]): number {
  const owner = new Map<number, number>()
  const place = (row: number, tried: Set<number>): boolean =>
    candidates[row]!.some((candidate) => {
      if (tried.has(candidate)) return false
      tried.add(candidate)
      const other = owner.get(candidate)
      if (other !== undefined && !place(other, tried)) return false
      owner.set(candidate, row)
      return true
    })
  return candidates.findIndex((_, row) => !place(row, new Set()))
}

const isRow = (row: Row, cells: readonly Cell[], columns: readonly string[]) =>
  cells.every((cell, i) => isCell(row[columns[i]!], cell))

/** The JSON of a value in an answer, in which a timestamp is a number of microseconds, also in a list. */
function answerJson(value: Scalar): string {
  if (Array.isArray(value)) return `[${value.map(answerJson).join(',')}]`
  if (value instanceof Datetime) return JSON.stringify(datetimeText(value.us))
  return value instanceof Timestamp ? String(value.us) : jsonOf(value)
}

/** JSON that was rebuilt may have other spaces, and only one of two equal keys. */
const compact = ({ text }: RawJson) => compactJson(readJson(text)!)

/** A value in the spelling of an answer. */
function answerText(value: Scalar): string {
  if (value instanceof Timestamp) return `number ${value.us}`
  // A double and an equal integer are the same value.
  if (typeof value === 'number') return `number ${Number.isInteger(value) ? BigInt(value) : value}`
  if (typeof value === 'bigint') return `number ${value}`
  if (Array.isArray(value)) return `json ${answerJson(value)}`
  if (value instanceof RawJson) return /^-?\d+$/.test(value.text) ? `number ${value.text}` : `json ${compact(value)}`
  if (value instanceof Datetime) return `text ${datetimeText(value.us)}`
  return value === null || typeof value === 'boolean' ? `${value}` : `text ${textOf(value)}`
}

function isCell(actual: unknown, { value, error, allowed }: Cell): boolean {
  // An error that a limit may cut off is compared elsewhere.
  if (actual === undefined) return false
  if (error !== undefined) return true
  const text = answerText(actual as Scalar)
  return text === answerText(value) || (allowed !== undefined && isAllowed(actual as Scalar, value, allowed))
}

const MEAN_ERROR = 1e-12
const RANK_ERROR = 0.005

function isAllowed(actual: Scalar, value: Scalar, allowed: Allowed): boolean {
  switch (allowed.kind) {
    case 'near':
      return typeof actual === 'number' && Math.abs(actual - Number(value)) <= MEAN_ERROR * Math.abs(Number(value))
    case 'any':
      return allowed.values.some((other) => answerText(actual) === answerText(other))
    case 'list':
      return actual instanceof RawJson && isListOf(actual.text, value as readonly Scalar[], allowed.values)
    case 'joined':
      return typeof actual === 'string' && isJoined(actual, allowed.texts, allowed.separator)
    case 'rank':
      return isAtRanks(actual, allowed.percents, allowed.sorted)
    case 'count':
      return typeof actual === 'number' && Math.abs(actual - Number(value)) <= allowed.off
  }
}

/** Whether a JSON list has as many elements as the expected list, all among some values, none more often. */
function isListOf(text: string, expected: readonly Scalar[], values: readonly Scalar[]): boolean {
  const elements = (JSON.parse(text) as unknown[]).map((element) => JSON.stringify(element))
  const left = values.map((value) => JSON.stringify(JSON.parse(answerJson(value))))
  if (elements.length !== expected.length) return false
  return elements.every((element) => {
    const place = left.indexOf(element)
    if (place >= 0) left.splice(place, 1)
    return place >= 0
  })
}

/** Texts may hold the separator. If so, the characters are compared, else the parts. */
function isJoined(actual: string, texts: readonly string[], separator: string): boolean {
  const sorted = (text: string) => [...text].sort().join('')
  if (separator === '' || texts.some((text) => text.includes(separator)))
    return sorted(actual) === sorted(texts.join(separator))
  return actual.split(separator).sort().join('\0') === texts.toSorted().join('\0')
}

function isAtRanks(actual: Scalar, percents: readonly number[], sorted: readonly number[]): boolean {
  const values = actual instanceof RawJson ? (JSON.parse(actual.text) as number[]) : [actual as number]
  if (values.length !== percents.length) return false
  return values.every((value, i) => {
    const smaller = sorted.filter((other) => other < value).length
    const notGreater = sorted.filter((other) => other <= value).length
    const wanted = (percents[i]! * sorted.length) / 100
    const isInside = value >= sorted[0]! && value <= sorted.at(-1)!
    return isInside && Math.max(smaller - wanted, wanted - notGreater) <= RANK_ERROR * sorted.length
  })
}

const show = (value: unknown) => JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner))
const showCells = (rows: readonly (readonly Cell[])[]) =>
  show(rows.map((cells) => cells.map(({ value, error }) => error ?? answerText(value))))

/** A plan as a text that can be read: expressions as calls. */
export function showPlan(plan: Plan): string {
  return plan
    .map(
      ({ op, ...rest }) =>
        `  ${op} ${show(JSON.parse(show(rest), (_, value) => (isExpression(value) ? spell(value) : value)))}`,
    )
    .join('\n')
}

const isExpression = (value: unknown): value is { kind: string } =>
  typeof value === 'object' && value !== null && 'kind' in value

function spell(expression: { kind: string }): string {
  const { kind, name, value, fn, args } = expression as Record<string, unknown> & { kind: string }
  if (kind === 'column') return `\`${name}\``
  return kind === 'literal' ? show(value) : `${fn}(${(args as string[]).join(', ')})`
}
