import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { MIB } from '../../src/base/units.js'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import { FUNCTIONS, type FunctionName } from '../../src/plan/functions/table.js'
import { rowFailureOf } from '../../src/plan/row-failures.js'
import { typeOf } from '../../src/plan/schema.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp, type Type } from '../../src/plan/values/values.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'

const YEAR_1_US = Date.parse('0001-01-01T00:00:00Z') * 1000
const YEAR_9999_US = Date.parse('9999-12-31T23:59:59Z') * 1000
const TEXTS = [
  '',
  'x',
  '12',
  '-0',
  '1e400',
  '2026-11-29',
  'null',
  '{"a":[1]}',
  'ß\u0000',
  '18446744073709551615',
  'a,b',
]
const INTEGERS = [0, 1, -1, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n]
const TIMES = [0, 1, -1, YEAR_1_US, YEAR_9999_US]

/** Values of each type that a row may have. */
const VALUES: Readonly<Partial<Record<Type, readonly Scalar[]>>> = {
  boolean: [true, false],
  integer: INTEGERS,
  number: [...INTEGERS, 0.5, 1e308, -1e308, 5e-324],
  text: TEXTS,
  timestamp: TIMES.map((us) => new Timestamp(us)),
  datetime: TIMES.map((us) => new Datetime(us)),
  date: [0, -719162, 2932896].map((days) => new CivilDate(days)),
  json: [new RawJson('{"a":{"b":1e999}}'), new RawJson('[[1,2],[]]')],
}
const ANY = Object.values(VALUES).flat()
/** The stored timestamps: microseconds that a double holds, from 1684 to 2255. */
const STORED = [0, 2 ** 53 - 1, 1 - 2 ** 53].map((us) => new Timestamp(us))

const SCHEMA: ReadonlyMap<string, Type> = new Map([
  ...Object.keys(VALUES).map((type) => [`a ${type}`, type as Type] as const),
  ['any', 'any'],
  ['timestamp', 'timestamp'],
])
const valuesOf = (name: string) => (name === 'timestamp' ? STORED : (VALUES[SCHEMA.get(name)!] ?? ANY))

const LITERALS: readonly Scalar[] = [
  ...[null, true, 0, 1, 2, -1, 100, 0.5, 2n ** 63n, '', 'x', 'hour', 'day', 'week', 'month', 'isoweek', 'year'],
  ...['$.a', '$', '%Y-%m-%d %H', '(a)', 'a+', '%a_', '\\', new Timestamp(0)],
]

const NAMES = Object.keys(FUNCTIONS) as FunctionName[]

/** An argument: a column, a literal, or a call that often is one. */
function argument(random: Random): Expression {
  const columns = [...SCHEMA.keys()].map(column)
  const any = () => oneOf(random, columns)
  return oneOf(random, [
    any,
    any,
    any,
    () => literal(oneOf(random, LITERALS)),
    () => literal(oneOf(random, LITERALS)),
    () => call('safe_cast_float64', any()),
    () => call('safe_cast_int64', any()),
    () => call('split', any(), literal(',')),
    () => call('substr', any(), literal(1), literal(10)),
    () => call('round', any()),
    () => call('eq', any(), any()),
    () => call('field', column('a json'), literal('a')),
  ])()
}

function randomCall(random: Random, fn: FunctionName): Expression {
  const [least, most] = FUNCTIONS[fn].arity
  const count = least + below(random, Math.min(most, 4) - least + 1)
  return call(fn, ...Array.from({ length: count }, () => argument(random)))
}

type Row = ReadonlyMap<string, Scalar>

const randomRow = (random: Random): Row =>
  new Map([...SCHEMA.keys()].map((name) => [name, below(random, 8) === 0 ? null : oneOf(random, valuesOf(name))]))

/** Evaluates an expression in a row. */
function evaluate(expression: Expression, row: Row): Scalar {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'column') return row.get(expression.name)!
  const { fn, args } = expression
  const constants = args.map((arg) => (arg.kind === 'literal' ? arg.value : undefined))
  return FUNCTIONS[fn].bind(
    args.map((arg) => () => evaluate(arg, row)),
    constants,
  )(0)
}

const NULLS: Row = new Map([...SCHEMA.keys()].map((name) => [name, null]))

/** Whether a text with the expression compiles: literal arguments are read then. */
function isRight(expression: Expression): boolean {
  try {
    typeOf(expression, SCHEMA)
    evaluate(expression, NULLS)
    return true
  } catch (error) {
    if (error instanceof LogweirError || error instanceof TypeError) return false
    throw error
  }
}

type Call = Expression & { kind: 'call' }
const start = call('substr', column('a text'), literal(1), literal(100))

/** Calls of functions that are not right with any arguments. */
const EXAMPLES = [
  call('field', column('a json'), literal('a')),
  call('field_text', column('a json'), literal('a')),
  call('and', call('is_null', column('any')), column('a boolean')),
  call('or', call('is_null', column('any')), column('a boolean')),
  call('not', column('a boolean')),
  call('if', column('a boolean'), column('any'), literal(1)),
  call('case', column('a boolean'), column('any')),
  call('safe_divide', column('a integer'), column('a number')),
  call('floor', column('a number')),
  call('ceil', column('a number')),
  call('cast_float64', column('a integer')),
  call('cast_bool', column('a integer')),
  call('cast_timestamp', column('a date')),
  call('cast_datetime', column('timestamp')),
  call('cast_date', column('timestamp')),
  call('unix_seconds', column('a datetime')),
  call('unix_millis', column('a datetime')),
  call('known_time', column('a timestamp')),
  call('unix_micros', column('a datetime')),
  call('regexp_contains', start, literal('a+')),
  call('regexp_extract', start, literal('(a+)')),
  call('like', start, literal('a%')),
  call('ilike', start, literal('a%')),
  call('safe_offset', call('split', column('any'), literal(',')), literal(1)),
  call('format_timestamp', literal('%Y'), column('timestamp')),
  call('extract', column('timestamp'), literal('hour')),
  call('timestamp_trunc', column('timestamp'), literal('week')),
  call('datetime_trunc', column('a datetime'), literal('month')),
  call('date_trunc', column('a date'), literal('year')),
  call('timestamp_diff', column('timestamp'), column('a datetime'), literal('second')),
  call('date_diff', column('a date'), column('a date'), literal('day')),
  call('round', column('a number'), literal(2)),
  call('json_value', column('any'), literal('$.a')),
  call('json_query', column('any'), literal('$.a')),
  call('abs', call('safe_cast_float64', column('any'))),
  call('neg', call('safe_cast_float64', column('any'))),
  call('replace', start, literal('a'), literal('b')),
  call('concat', start, literal('-')),
  call('upper', start),
  call('substr', column('any'), literal(1), literal(100)),
] as Call[]

const failureOf = (expression: Expression) => rowFailureOf(expression, SCHEMA)?.instead

describe('calls that can fail in a row', () => {
  const seed = testSeed()

  it(`are all found (seed ${seed})`, () => {
    const random = mulberry32(seed)
    const sure = new Set<FunctionName>()
    for (const fn of NAMES) {
      for (let i = 0; i < runs(500); i++) {
        const expression = randomCall(random, fn)
        if (!isRight(expression) || failureOf(expression) !== undefined) continue
        sure.add(fn)
        for (let j = 0; j < 20; j++) {
          const row = randomRow(random)
          if (fails(expression, row)) expect.fail(JSON.stringify([expression, [...row]], shown))
        }
      }
    }
    expect([...sure].filter((fn) => FAILING[fn] !== undefined)).toEqual([])
    // Every other function can be used, but a list of split only within safe_offset.
    for (const fn of NAMES.filter((one) => FAILING[one] === undefined && one !== 'split')) {
      const plain = call(fn, ...Array.from({ length: FUNCTIONS[fn].arity[0] }, () => column('any')))
      const example = EXAMPLES.find((one) => one.fn === fn) ?? plain
      expect([fn, isRight(example), failureOf(example)]).toEqual([fn, true, undefined])
    }
  })

  /** Of each function that is always refused: a call that fails, and the row. */
  const max = 2n ** 63n - 1n
  const FAILING: Partial<Record<FunctionName, Expression>> = {
    add: call('add', literal(max), column('a integer')),
    sub: call('sub', column('a integer'), literal(max)),
    mul: call('mul', literal(1e308), column('a number')),
    div: call('div', literal(1), literal(0)),
    mod: call('mod', literal(1), literal(0)),
    cast_int64: call('cast_int64', literal('x')),
    time_add: call('time_add', literal(new Timestamp(YEAR_9999_US)), literal(1), literal('year')),
    timestamp_bucket: call('timestamp_bucket', literal('x'), literal(1)),
    timestamp_seconds: call('timestamp_seconds', literal('x')),
    timestamp_millis: call('timestamp_millis', literal('x')),
    timestamp_micros: call('timestamp_micros', literal('x')),
    parse_timestamp: call('parse_timestamp', literal('%Y'), literal('x')),
    to_json_string: call('to_json_string', literal('\u0001'.repeat(MIB))),
    json_object: call('json_object', literal('a'), literal('\u0001'.repeat(MIB))),
    regexp_replace: call('regexp_replace', literal('a'.repeat(MIB)), literal('a'), literal('xx')),
    repeated: call('repeated', literal(new RawJson(`{${'"a":{},'.repeat(MIB / 7)}"b":1}`))),
    offset: call('offset', call('split', literal('x')), literal(1)),
    in_list: call('in_list', literal(1), column('any')),
  }

  it.each(Object.entries(FAILING))('%s fails indeed', (_, expression) => {
    const rows = valuesOf('a integer').map(
      (value): Row => new Map([...NULLS, ['a integer', value], ['a number', 1e308]]),
    )
    expect(rows.some((row) => fails(expression, row))).toBe(true)
    expect(failureOf(expression)).toBeTypeOf('string')
  })

  it('are those of texts that may become too long', () => {
    const text = column('a text')
    expect(failureOf(call('lower', text))).toBeUndefined()
    for (const [grows, bounded] of [
      [call('upper', text), call('upper', start)],
      [call('concat', text, literal('x')), call('concat', start, literal('-'), start)],
      [call('replace', text, literal('a'), literal('bb')), call('replace', start, literal('a'), literal('bb'))],
    ] as const) {
      const row: Row = new Map([...NULLS, ['a text', 'ΐa'.repeat(MIB / 3)], ['any', null]])
      const longest: Row = new Map([...NULLS, ['a text', 'a'.repeat(MIB)]])
      expect([row, longest].some((one) => fails(grows, one))).toBe(true)
      expect(failureOf(grows)).toBeTypeOf('string')
      expect(failureOf(bounded)).toBeUndefined()
      expect([row, longest].some((one) => fails(bounded, one))).toBe(false)
    }
  })

  it('are those of patterns that may take too long', () => {
    const text = column('a text')
    const search = (value: Expression) => call('regexp_contains', value, literal('(a|b)+c[d-f]'))
    expect(failureOf(search(text))).toMatch(/^search in the beginning of the text: substr\(text, 1, \d+\)$/)
    const [, characters] = /(\d+)\)$/.exec(failureOf(search(text))!)!
    expect(failureOf(search(call('substr', text, literal(1), literal(Number(characters)))))).toBeUndefined()
    expect(failureOf(search(call('substr', text, literal(1), literal(Number(characters) + 1))))).toBeDefined()
    expect(failureOf(call('like', text, literal('%a%')))).toBeDefined()
    expect(failureOf(call('like', literal('a'), literal('%a%')))).toBeUndefined()
    expect(failureOf(call('like', literal('a'), text))).toBe('write the pattern as a text')
  })
})

function fails(expression: Expression, row: Row): boolean {
  try {
    evaluate(expression, row)
    return false
  } catch (error) {
    if (error instanceof LogweirError) return true
    throw error
  }
}

const shown = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)
