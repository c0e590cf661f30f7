import { below, oneOf, type Random } from './random.js'
import {
  FORMATS,
  JSON_PATHS,
  LIKES,
  LITERALS,
  LONG_PARTS,
  LONG_UNITS,
  PARTS,
  PATTERNS,
  PATTERNS_OF_ONE_GROUP,
  PLAIN_TYPES,
  type PlainType,
  quote,
  REPLACEMENTS,
  type SqlType,
  TIME_TEXTS,
  TRUNCATIONS,
  UNITS,
} from './random-sql-literals.js'

/**
 * Random expressions of SQL over typed names, which fail in few rows only: for values that differ from row to row there
 * are the safe forms.
 */

/** A name, or another expression that needs no parentheses, and the type of the expression. */
export interface Atom {
  text: string
  type: SqlType
}

/** The names and queries that expressions may read. */
export interface SqlScope {
  random: Random
  atoms: readonly Atom[]
  /** Returns a query of a single column in parentheses. Undefined where queries are not allowed. */
  subquery?: () => string
}

/** A text, and how tightly the outermost operator binds. */
interface Piece {
  text: string
  rank: number
}

const [OR, AND, NOT, COMPARE, ADD, MULTIPLY, SIGN, ATOM] = [1, 2, 3, 4, 5, 6, 7, 8]

const atom = (text: string): Piece => ({ text, rank: ATOM })

type Make = (scope: SqlScope, depth: number) => Piece

/**
 * The text of an expression, in parentheses if the expression binds less tightly than needed, and now and then anyway.
 */
function within({ random }: SqlScope, { text, rank }: Piece, least: number): string {
  return rank < least || random() < 0.05 ? `(${text})` : text
}

const typed =
  (type: SqlType): Make =>
  (scope, depth) =>
    pieceOf(scope, type, depth)

/** Any value, often of a type that differs from row to row. */
const anything: Make = (s, d) => pieceOf(s, s.random() < 0.5 ? 'any' : oneOf(s.random, PLAIN_TYPES), d)
const textLike: Make = (s, d) => pieceOf(s, oneOf(s.random, ['text', 'text', 'any'] as const), d)
const numberLike: Make = (s, d) => pieceOf(s, oneOf(s.random, ['int', 'num'] as const), d)
const timeLike: Make = (s, d) => pieceOf(s, oneOf(s.random, ['time', 'time', 'datetime', 'date'] as const), d)
const jsonLike: Make = (s, d) => pieceOf(s, 'json', d)

/** A call of a function with the given arguments, the name in any case. */
function callOf(scope: SqlScope, fn: string, ...args: readonly string[]): Piece {
  return atom(`${scope.random() < 0.1 ? fn.toUpperCase() : fn}(${args.join(', ')})`)
}

/** A function of arguments of the given kinds. A text is that text. */
const fn =
  (name: string, ...args: readonly (Make | string | readonly string[])[]): Make =>
  (s, d) =>
    callOf(
      s,
      name,
      ...args.map((arg) => {
        if (typeof arg === 'string') return arg
        return typeof arg === 'function' ? arg(s, d).text : oneOf(s.random, arg)
      }),
    )

/** Keys of `json_object`. Two of the keys may be the same. */
const OBJECT_KEYS = ['a', 'b', 'a"b', '']

/** A literal text of some. */
const textOf =
  (texts: readonly string[]): Make =>
  ({ random }) =>
    atom(quote(random, oneOf(random, texts)))

const binary =
  (operators: readonly string[], rank: number, left: Make, right: Make): Make =>
  (s, d) => {
    const [a, b] = [left(s, d), right(s, d)]
    // Comparisons do not chain.
    const least = rank === COMPARE ? rank + 1 : rank
    return { rank, text: `${within(s, a, least)} ${oneOf(s.random, operators)} ${within(s, b, rank + 1)}` }
  }

/** A time next to another kind of time, a text or a number that spells a time, or any value. */
const timeComparison: Make = (s, d) => {
  const any = s.atoms.filter(({ type }) => type === 'any')
  const value: Make = any.length > 0 ? ({ random }) => atom(oneOf(random, any).text) : timeLike
  const other = oneOf(s.random, [timeLike, value, textOf(TIME_TEXTS), () => atom('1795603062')])
  const sides: [Make, Make] = s.random() < 0.5 ? [timeLike, other] : [other, timeLike]
  return binary(['=', '!=', '<', '>='], COMPARE, ...sides)(s, d)
}

/**
 * Two values of the same type, or of types that differ from row to row: a literal text next to a time may be no time.
 */
const comparison: Make = (s, d) => {
  const types = s.random() < 0.3 ? (['any', 'any'] as const) : undefined
  const type = oneOf(s.random, PLAIN_TYPES)
  const [left, right] = types ?? [type, type]
  return binary(['=', '!=', '<>', '<', '<=', '>', '>='], COMPARE, typed(left), typed(right))(s, d)
}

const isTest: Make = (s, d) => {
  if (s.random() < 0.5) return testOf(s, anything(s, d), ['is null', 'is not null', 'IS NULL'])
  return testOf(s, pieceOf(s, 'bool', d), ['is true', 'is not true', 'is false', 'is not false'])
}

const testOf = (s: SqlScope, value: Piece, tests: readonly string[]): Piece => ({
  rank: COMPARE,
  text: `${within(s, value, ATOM)} ${oneOf(s.random, tests)}`,
})

const among: Make = (s, d) => {
  const type = oneOf(s.random, ['any', 'int', 'text', 'time'] as const)
  const value = within(s, pieceOf(s, type, d), ADD)
  const isIn = oneOf(s.random, ['in', 'not in', 'IN'])
  const query = s.random() < 0.3 ? s.subquery?.() : undefined
  if (query !== undefined) return { rank: COMPARE, text: `${value} ${isIn} ${query}` }
  const items = Array.from({ length: 1 + below(s.random, 3) }, () => pieceOf(s, type, 0).text)
  return { rank: COMPARE, text: `${value} ${isIn} (${items.join(', ')})` }
}

const between: Make = (s, d) => {
  const type = oneOf(s.random, ['int', 'num', 'text', 'time'] as const)
  const [value, low, high] = [0, 1, 2].map(() => within(s, pieceOf(s, type, d), ADD))
  return { rank: COMPARE, text: `${value} ${oneOf(s.random, ['between', 'not between'])} ${low} and ${high}` }
}

const like: Make = (s, d) => {
  const pattern = quote(s.random, oneOf(s.random, LIKES))
  const operator = oneOf(s.random, ['like', 'not like', 'ilike', 'not ilike', 'LIKE'])
  return { rank: COMPARE, text: `${within(s, textLike(s, d), ADD)} ${operator} ${pattern}` }
}

const negation = (word: string, rank: number, type: SqlType): Make => {
  return (s, d) => ({ rank, text: `${word}${within(s, pieceOf(s, type, d), rank === NOT ? NOT : ATOM)}` })
}

/** A cast that does not fail, in any form of the cast. */
const cast =
  (types: readonly string[], make: Make = anything, isSafe = true): Make =>
  (s, d) => {
    const type = oneOf(s.random, types)
    if (!isSafe && s.random() < 0.4) return atom(`${within(s, make(s, d), ATOM)}::${type}`)
    return callOf(s, isSafe ? 'safe_cast' : 'cast', `${make(s, d).text} as ${type}`)
  }

const extraction =
  (parts: readonly string[], time: Make): Make =>
  (s, d) =>
    callOf(s, 'extract', `${oneOf(s.random, parts)} from ${time(s, d).text}`)

const moved =
  (name: string): Make =>
  (s, d) => {
    const count =
      s.random() < 0.8 ? oneOf(s.random, ['1', '2', '30', '-1']) : `${callOf(s, 'length', textLike(s, d).text).text}`
    return callOf(s, name, pieceOf(s, 'time', d).text, `interval ${count} ${oneOf(s.random, UNITS)}`)
  }

const element =
  (access: string): Make =>
  (s, d) => {
    const separator = s.random() < 0.3 ? [] : [quote(s.random, oneOf(s.random, ['/', '', 'a', ',']))]
    return atom(`${callOf(s, 'split', textLike(s, d).text, ...separator).text}[${access}(${below(s.random, 3)})]`)
  }

const concatenation: Make = (s, d) => {
  const parts = Array.from({ length: 2 + below(s.random, 2) }, () => within(s, textLike(s, d), SIGN))
  return { rank: MULTIPLY, text: parts.join(' || ') }
}

/** Choices between values of the same type. */
const choices = (type: SqlType): readonly Make[] => [
  fn('if', typed('bool'), typed(type), typed(type)),
  fn('coalesce', typed(type), typed(type)),
  fn('ifnull', typed(type), typed(type)),
  fn('nullif', typed(type), typed(type)),
  (s, d) => {
    const other = s.random() < 0.7 ? ` else ${pieceOf(s, type, d).text}` : ''
    const when = () => `when ${pieceOf(s, 'bool', d).text} then ${pieceOf(s, type, d).text}`
    return atom(`case ${when()}${s.random() < 0.4 ? ` ${when()}` : ''}${other} end`)
  },
  (s, d) => {
    const of = oneOf(s.random, ['int', 'text'] as const)
    const [value, item] = [pieceOf(s, of, d).text, pieceOf(s, of, 0).text]
    return atom(`case ${value} when ${item} then ${pieceOf(s, type, d).text} else ${pieceOf(s, type, d).text} end`)
  },
]

const arithmetic = (type: 'int' | 'num'): readonly Make[] => [
  binary(['+', '-'], ADD, typed(type), typed(type)),
  binary(['*'], MULTIPLY, typed(type), ({ random }) => atom(oneOf(random, ['2', '3', '0']))),
  negation('-', SIGN, type),
  fn('abs', typed(type)),
  fn('mod', typed(type), ['2', '3', '-7', '10']),
  fn('greatest', typed(type), typed(type)),
  fn('least', typed(type), typed(type)),
]

const MAKERS: Readonly<Record<PlainType | 'any' | 'json', readonly Make[]>> = {
  bool: [
    binary(['and', 'AND'], AND, typed('bool'), typed('bool')),
    binary(['or', 'OR'], OR, typed('bool'), typed('bool')),
    negation('not ', NOT, 'bool'),
    isTest,
    comparison,
    comparison,
    timeComparison,
    among,
    between,
    like,
    fn('starts_with', textLike, textLike),
    fn('ends_with', textLike, textLike),
    fn('contains_substr', textLike, textLike),
    fn('regexp_contains', textLike, textOf(PATTERNS)),
    cast(['bool']),
  ],
  int: [
    ...arithmetic('int'),
    fn('length', textLike),
    extraction([...PARTS, ...LONG_PARTS], timeLike),
    fn('timestamp_diff', typed('time'), typed('time'), TRUNCATIONS),
    fn('unix_seconds', typed('time')),
    fn('unix_millis', typed('time')),
    fn('unix_micros', typed('time')),
    cast(['int64']),
  ],
  num: [
    ...arithmetic('num'),
    fn('safe_divide', numberLike, numberLike),
    fn('round', typed('num')),
    fn('round', typed('num'), ['0', '1', '2', '-1']),
    fn('floor', numberLike),
    fn('ceil', numberLike),
    cast(['float64']),
  ],
  text: [
    fn('lower', textLike),
    fn('upper', textLike),
    fn('trim', textLike),
    fn('trim', textLike, textOf(['/', 'ah', '😀é'])),
    fn('concat', textLike, textLike),
    concatenation,
    fn('substr', textLike, ['1', '2', '0', '-2']),
    fn('substr', textLike, ['1', '3', '-3'], ['0', '1', '20']),
    fn('replace', textLike, textOf(['a', '', '/', '😀']), textOf(['', 'b', 'aa'])),
    fn('regexp_extract', textLike, textOf(PATTERNS_OF_ONE_GROUP)),
    fn('regexp_replace', textLike, textOf(PATTERNS), textOf(REPLACEMENTS)),
    element('safe_offset'),
    fn('json_value', jsonLike, textOf(JSON_PATHS)),
    fn('json_extract_scalar', jsonLike, textOf(JSON_PATHS)),
    fn('json_query', jsonLike, textOf(JSON_PATHS)),
    fn('to_json_string', anything),
    (s, d) =>
      fn('to_json_string', fn('json_object', textOf(OBJECT_KEYS), anything, textOf(OBJECT_KEYS), anything))(s, d),
    cast(['string', 'STRING'], anything, false),
    cast(['string']),
    fn('format_timestamp', textOf(FORMATS), typed('time')),
  ],
  time: [
    fn('timestamp_trunc', typed('time'), TRUNCATIONS),
    moved('timestamp_add'),
    moved('timestamp_sub'),
    fn('timestamp', timeLike),
    fn('timestamp_seconds', ['0', '1764067062', '-1']),
    fn('timestamp_millis', ['0', '1764067062123', '-1']),
    fn('timestamp_micros', fn('mod', typed('int'), '1000000000')),
    fn('parse_timestamp', textOf(['%F']), fn('format_timestamp', textOf(['%F']), typed('time'))),
    fn('current_timestamp'),
    cast(['timestamp']),
  ],
  datetime: [fn('datetime_trunc', typed('datetime'), TRUNCATIONS), fn('datetime', timeLike), cast(['datetime'])],
  date: [
    fn('date', timeLike),
    fn('date_trunc', typed('date'), LONG_UNITS),
    fn('current_date'),
    extraction(['date'], typed('time')),
    cast(['date']),
  ],
  any: [],
  json: [],
}

/** Expressions that often fail. */
const FAILING: Partial<Record<SqlType, readonly Make[]>> = {
  bool: [cast(['bool'], textLike, false)],
  int: [cast(['int64'], anything, false), fn('mod', typed('int'), typed('int'))],
  num: [binary(['/'], MULTIPLY, typed('num'), typed('num')), cast(['float64'], anything, false)],
  text: [element('offset')],
  time: [cast(['timestamp'], anything, false), fn('parse_timestamp', textOf(['%F']), typed('text'))],
}
const FAIL_SHARE = 0.01

/** A random expression of a type. `depth` bounds the calls. */
function pieceOf(scope: SqlScope, type: SqlType, depth: number): Piece {
  const { random, atoms } = scope
  if (type === 'open') throw new Error('An open value is only selected as it is.')
  const own = atoms.filter((one) => one.type === type || (type === 'any' && one.type === 'json'))
  const isCall = depth > 0 && random() < 0.7
  if (isCall && random() < FAIL_SHARE && FAILING[type] !== undefined)
    return oneOf(random, FAILING[type])(scope, depth - 1)
  if (type === 'json' || type === 'any') {
    if (isCall && random() < 0.2) return oneOf(random, choices(type))(scope, depth - 1)
    return own.length > 0 ? atom(oneOf(random, own).text) : pieceOf(scope, 'text', depth)
  }
  const makers = [...MAKERS[type], ...(random() < 0.25 ? choices(type) : [])]
  if (isCall) return oneOf(random, makers)(scope, depth - 1)
  if (own.length > 0 && random() < 0.8) return atom(oneOf(random, own).text)
  const literal = oneOf(random, LITERALS[type])
  if (type === 'text') return atom(quote(random, literal))
  return { text: literal, rank: literal.startsWith('-') ? SIGN : ATOM }
}

/** Returns a random expression of a type, which may need parentheses next to an operator. */
export const sqlExpression = (scope: SqlScope, type: SqlType, depth: number): string => pieceOf(scope, type, depth).text
