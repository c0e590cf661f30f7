import { compilePattern, type Pattern } from '../../../src/base/pattern/pattern.js'
import type { FunctionName } from '../../../src/plan/functions/table.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { type JsonNode, readJson, scalarOf } from './json.js'
import * as times from './times.js'
import {
  compare,
  double,
  equal,
  fail,
  integer,
  isWhole,
  kindOf,
  needNumber,
  numeric,
  OracleError,
  order,
} from './values.js'

/** An argument. Each call evaluates the argument, and may fail. */
export type Arg = () => Scalar

/** A function the obvious way, over arguments that the function evaluates on demand. */
type Implementation = (...args: Arg[]) => Scalar

const MAX_LENGTH = 1024 * 1024

/** A text of at most 1 MiB of characters. */
export function bounded(text: string): string {
  if (text.length > MAX_LENGTH) throw new OracleError('too_much_memory')
  return text
}

/** Null if an argument is null. Arguments behind a null are not evaluated. */
function strict(apply: (...values: never[]) => Scalar): Implementation {
  return (...args) => {
    const values: Scalar[] = []
    for (const arg of args) {
      const value = arg()
      if (value === null) return null
      values.push(value)
    }
    return (apply as (...values: Scalar[]) => Scalar)(...values)
  }
}

/** The truth of a condition. Fails if the condition is neither true nor false nor null. */
export function truth(value: Scalar): boolean | null {
  return value === null || typeof value === 'boolean' ? value : fail()
}

function connect(args: readonly Arg[], decisive: boolean): Scalar {
  const seen: (boolean | null)[] = []
  for (const arg of args) {
    seen.push(truth(arg()))
    if (seen.includes(decisive)) return decisive
  }
  return seen.includes(null) ? null : !decisive
}

const LOGIC: Record<string, Implementation> = {
  and: (...args) => connect(args, false),
  or: (...args) => connect(args, true),
  not: (arg) => {
    const value = truth(arg!())
    return value === null ? null : !value
  },
  is_null: (arg) => arg!() === null,
  is_true: (arg) => arg!() === true,
  is_false: (arg) => arg!() === false,
  if: (condition, then, otherwise) => (truth(condition!()) ? then!() : otherwise!()),
  case: (...args) => {
    for (let i = 0; i + 1 < args.length; i += 2) if (truth(args[i]!())) return args[i + 1]!()
    return args.length % 2 === 1 ? args.at(-1)!() : null
  },
  coalesce: (...args) => {
    for (const arg of args) {
      const value = arg()
      if (value !== null) return value
    }
    return null
  },
}

/** Null between values that have no order. */
const ordered = (holds: (order: number) => boolean) =>
  strict((a: Scalar, b: Scalar) => {
    const result = compare(a, b)
    return typeof result === 'number' ? holds(result) : null
  })

/** The value that wins against all values before. */
const extreme = (wins: (order: number) => boolean) =>
  strict((...values: Scalar[]) =>
    values.reduce((best, value) => {
      const result = compare(value, best)
      return wins(typeof result === 'number' ? result : order(value, best)) ? value : best
    }),
  )

const COMPARE: Record<string, Implementation> = {
  eq: strict((a: Scalar, b: Scalar) => equal(a, b)),
  ne: strict((a: Scalar, b: Scalar) => {
    const result = equal(a, b)
    return result === null ? null : !result
  }),
  lt: ordered((result) => result < 0),
  le: ordered((result) => result <= 0),
  gt: ordered((result) => result > 0),
  ge: ordered((result) => result >= 0),
  in: (value, ...items) => {
    const wanted = value!()
    if (wanted === null) return null
    let isUnknown = false
    for (const item of items) {
      const result = equal(wanted, item())
      if (result === true) return true
      if (result === null) isUnknown = true
    }
    return isUnknown ? null : false
  },
  in_list: (value, list) => {
    const items = list!()
    if (!Array.isArray(items)) return fail()
    return items.length === 0 ? false : COMPARE.in!(value!, ...items.map((item) => () => item))
  },
  nullif: (a, b) => {
    const [value, other] = [a!(), b!()]
    return equal(value, other) === true ? null : value
  },
  greatest: extreme((result) => result > 0),
  least: extreme((result) => result < 0),
}

/** An operation that is exact over two integers. */
const arithmetic = (exact: (a: bigint, b: bigint) => bigint, near: (a: number, b: number) => number) =>
  strict((x: Scalar, y: Scalar) => {
    const [a, b] = [needNumber(x), needNumber(y)]
    return isWhole(a) && isWhole(b) ? integer(exact(BigInt(a), BigInt(b))) : double(near(Number(a), Number(b)))
  })

const negate = (value: number | bigint) => (typeof value === 'bigint' ? integer(-value) : -value + 0)

/** Rounds in decimal digits, halves away from zero. */
function round(value: number | bigint, digits: number): Scalar {
  if (isWhole(value) && digits >= 0) return value
  const [mantissa, exponent] = Math.abs(Number(value)).toExponential().split('e') as [string, string]
  const plain = mantissa.replace('.', '')
  const point = 1 + Number(exponent)
  const kept = point + digits
  if (kept >= plain.length) return Number(value)
  if (kept < 0) return 0
  const whole = BigInt(plain.slice(0, kept) || '0') + (plain[kept]! >= '5' ? 1n : 0n)
  return double(Number(`${whole}e${-digits}`) * (Number(value) < 0 ? -1 : 1))
}

const wholeNumber = (value: Scalar) => Math.trunc(Number(needNumber(value)))

const NUMBERS: Record<string, Implementation> = {
  add: arithmetic(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  sub: arithmetic(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  mul: arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  div: strict((x: Scalar, y: Scalar) => {
    const [a, b] = [Number(needNumber(x)), Number(needNumber(y))]
    return double(b === 0 ? Number.NaN : a / b)
  }),
  safe_divide: strict((x: Scalar, y: Scalar) => {
    const quotient = Number(needNumber(x)) / Number(needNumber(y))
    return Number.isFinite(quotient) ? quotient + 0 : null
  }),
  mod: strict((x: Scalar, y: Scalar) => {
    const [a, b] = [needNumber(x), needNumber(y)]
    if (Number(b) === 0) return fail()
    return isWhole(a) && isWhole(b) ? integer(BigInt(a) % BigInt(b)) : (Number(a) % Number(b)) + 0
  }),
  neg: strict((value: Scalar) => negate(needNumber(value))),
  abs: strict((value: Scalar) => (needNumber(value) < 0 ? negate(needNumber(value)) : needNumber(value))),
  round: strict((value: Scalar, digits: Scalar = 0) => round(needNumber(value), wholeNumber(digits))),
  floor: strict((value: Scalar) => cut(needNumber(value), Math.floor)),
  ceil: strict((value: Scalar) => cut(needNumber(value), Math.ceil)),
}

const cut = (value: number | bigint, whole: (value: number) => number) =>
  typeof value === 'bigint' ? value : whole(value) + 0

/** The text of a value after a cast. */
export function textOf(value: Scalar): string {
  if (value instanceof Timestamp) return times.timestampText(value.us)
  if (value instanceof Datetime) return times.castText(value.us)
  if (value instanceof CivilDate) return times.dateText(value.days)
  if (value instanceof RawJson) return value.text
  return Array.isArray(value) ? jsonOf(value) : String(value)
}

/** The JSON of a value. */
export function jsonOf(value: Scalar): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  if (value instanceof RawJson) return value.text
  if (value === null || typeof value === 'boolean' || kindOf(value) === 'number') return String(value)
  const iso = (us: number | bigint) => times.castText(us).split(' ').join('T')
  if (value instanceof Datetime) return JSON.stringify(iso(value.us))
  return JSON.stringify(value instanceof Timestamp ? `${iso(value.us)}Z` : textOf(value))
}

const overText = (apply: (...texts: string[]) => Scalar) =>
  strict((...values: Scalar[]) => {
    const result = apply(...values.map(textOf))
    return typeof result === 'string' ? bounded(result) : result
  })

/** A LIKE pattern as a pattern of RE2. */
function likePattern(pattern: string, flags: string): Pattern {
  const pieces = pattern.match(/\\.|./gsu) ?? []
  if (pieces.at(-1) === '\\') return fail()
  const quoted = (character: string) => `\\x{${character.codePointAt(0)!.toString(16)}}`
  const source = pieces.map((piece) => {
    if (piece === '%') return '.*'
    if (piece === '_') return '.'
    return quoted(piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece)
  })
  return compilePattern(`(?${flags})^(?:${source.join('')})$`)
}

function substr(value: Scalar, position: Scalar, length: Scalar = Number.MAX_SAFE_INTEGER): string {
  const points = [...textOf(value)]
  const [from, count] = [wholeNumber(position), wholeNumber(length)]
  if (count < 0) return fail()
  const start = from < 0 ? Math.max(points.length + from, 0) : Math.max(from - 1, 0)
  return points.filter((_, i) => i >= start && i < start + count).join('')
}

function replacement(to: string, match: readonly (string | null | undefined)[]): string {
  return to.replace(/\\(.?)/gs, (_, of: string) => {
    if (of === '\\') return '\\'
    if (!/^\d$/.test(of) || Number(of) >= match.length) return fail()
    return match[Number(of)] ?? ''
  })
}

function replaceMatches(value: string, pattern: Pattern, to: string): string {
  // Match by match: the library cuts the result of a replacement function at its first NUL.
  const global = compilePattern(pattern.re2.source, 'g').re2
  // The pattern is the same object for each text, and keeps the place of the last search.
  global.lastIndex = 0
  let result = ''
  let end = -1
  for (let match = global.exec(value); match !== null; match = global.exec(value)) {
    // An empty match directly behind another match is left out.
    if (match[0] === '' && match.index === end) {
      if (end >= value.length) break
      global.lastIndex = end + String.fromCodePoint(value.codePointAt(end)!).length
      continue
    }
    result += value.slice(Math.max(0, end), match.index) + replacement(to, [...match])
    end = match.index + match[0].length
    global.lastIndex = end
  }
  return bounded(result + value.slice(Math.max(0, end)))
}

const withPattern = (apply: (pattern: Pattern, value: string, to: string) => Scalar): Implementation =>
  strict((value: Scalar, pattern: string, to: Scalar = '') => {
    const result = apply(compilePattern(pattern), textOf(value), textOf(to))
    return typeof result === 'string' ? bounded(result) : result
  })

/** Lower case letter by letter, by way of the upper case. */
const lower = (text: string) =>
  [...text]
    .map((letter) => {
      const upper = letter.toUpperCase()
      const folded = [...upper].length === 1 ? upper.toLowerCase() : letter.toLowerCase()
      return 'İı'.includes(letter) ? letter : folded
    })
    .join('')

const foldCase = (text: string) => lower(text.normalize('NFKC'))

const TEXTS: Record<string, Implementation> = {
  lower: overText((text) => lower(text!)),
  upper: overText((text) => text!.toUpperCase()),
  trim: overText((text, characters) => {
    if (characters === undefined) return text!.replace(/^\p{White_Space}+/u, '').replace(/\p{White_Space}+$/u, '')
    const points = [...text!]
    while (points.length > 0 && [...characters].includes(points[0]!)) points.shift()
    while (points.length > 0 && [...characters].includes(points.at(-1)!)) points.pop()
    return points.join('')
  }),
  length: overText((text) => [...text!].length),
  concat: overText((...texts) => texts.join('')),
  substr: strict(substr),
  replace: overText((text, from, to) => (from === '' ? text! : text!.split(from!).join(to))),
  starts_with: overText((text, start) => text!.startsWith(start!)),
  ends_with: overText((text, end) => text!.endsWith(end!)),
  contains: overText((text, part) => text!.includes(part!)),
  contains_substr: overText((text, part) => foldCase(text!).includes(foldCase(part!))),
  url_path: overText((url) => {
    const path = url!.split(/[?#]/)[0]!
    const behind = path.includes('://') ? path.slice(path.indexOf('://') + 3) : path
    return behind.includes('/') ? behind.slice(behind.indexOf('/')) : ''
  }),
  split: overText((text, separator = ',') =>
    text === '' ? [''] : separator === '' ? [...text!] : text!.split(separator),
  ),
  like: overText((text, pattern) => likePattern(pattern!, 's').re2.test(text!)),
  ilike: overText((text, pattern) => likePattern(pattern!, 'si').re2.test(text!)),
  regexp_contains: withPattern((pattern, value) => pattern.re2.test(value)),
  regexp_extract: withPattern((pattern, value) => {
    if (pattern.groups > 1) return fail()
    const match = pattern.re2.exec(value)
    return match === null ? null : ((match.length > 1 ? match[1] : match[0]) ?? null)
  }),
  regexp_replace: withPattern((pattern, value, to) => replaceMatches(value, pattern, to)),
}

type Conversion = (value: Scalar) => Scalar | undefined

const toTime =
  (make: (us: times.Us) => Scalar): Conversion =>
  (value) => {
    const us = times.momentOf(value)
    return us === undefined ? undefined : make(us)
  }

function toInteger(value: Scalar): Scalar | undefined {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : undefined
  if (typeof value === 'number') {
    const whole = BigInt(Math.round(Math.abs(value))) * (value < 0 ? -1n : 1n)
    return BigInt.asIntN(64, whole) === whole ? integer(whole) : undefined
  }
  const [found, sign, digits] = /^([+-]?)(\d+|0x[\da-f]+)$/i.exec(typeof value === 'string' ? value : '') ?? []
  if (found === undefined) return undefined
  const whole = BigInt(digits!) * (sign === '-' ? -1n : 1n)
  return BigInt.asIntN(64, whole) === whole ? integer(whole) : undefined
}

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  string: textOf,
  int64: toInteger,
  float64: (value) => {
    const number = numeric(value)
    return number === undefined ? undefined : Number(number)
  },
  bool: (value) => {
    if (typeof value === 'boolean') return value
    if (kindOf(value) === 'number') return Number(value) !== 0
    if (typeof value !== 'string') return undefined
    const text = value.toLowerCase()
    return text === 'true' || (text === 'false' ? false : undefined)
  },
  timestamp: toTime((us) => new Timestamp(us)),
  datetime: toTime((us) => new Datetime(us)),
  date: toTime((us) => new CivilDate(times.dayOf(us))),
}

const CASTS: Record<string, Implementation> = Object.fromEntries(
  Object.entries(CONVERSIONS).flatMap(([type, convert]) => [
    [`cast_${type}`, strict((value: Scalar) => convert(value) ?? fail())],
    [`safe_cast_${type}`, strict((value: Scalar) => convert(value) ?? null)],
  ]),
)

const moment = (value: Scalar): times.Us => times.momentOf(value) ?? fail()

const unitOf = (unit: Scalar): string => {
  const name = String(unit).toLowerCase()
  return times.UNITS.includes(name) ? name : fail()
}

const SHORT_UNITS = ['microsecond', 'millisecond', 'second', 'minute', 'hour']

/** A sum has the type of the time. Hours of a date need a datetime. */
function sameKind(time: Scalar, us: times.Us | undefined, unit: string): Scalar {
  if (us === undefined) return fail()
  if (time instanceof Datetime || (time instanceof CivilDate && SHORT_UNITS.includes(unit))) return new Datetime(us)
  return time instanceof CivilDate ? new CivilDate(times.dayOf(us)) : new Timestamp(us)
}

/** A number without its fraction, exactly. */
const exactWhole = (value: Scalar): bigint => {
  const number = needNumber(value)
  return BigInt(typeof number === 'bigint' ? number : Math.trunc(number))
}

const inRange = (us: times.Us): times.Us => times.inRange(BigInt(us)) ?? fail()

const fromEpoch = (scale: bigint) => strict((value: Scalar) => new Timestamp(inRange(exactWhole(value) * scale)))

/** Reads a text by a format: the elements that tests use. */
function parse(format: string, text: string): times.Us | undefined {
  const spelled = format.replace(/%F/g, '%Y-%m-%d').replace(/%T/g, '%H:%M:%S')
  const groups: Record<string, string> = {
    Y: '(?<Y>\\d{1,4})',
    m: '(?<m>\\d{1,2})',
    d: '(?<d>\\d{1,2})',
    H: '(?<H>\\d{1,2})',
    M: '(?<M>\\d{1,2})',
    S: '(?<S>\\d{1,2})',
    'E*S': '(?<S>\\d{1,2})(?:\\.(?<f>\\d{1,9}))?',
  }
  const source = spelled.replace(/%(E\*S|\w)|[^\w\s]/g, (found, element: string | undefined) =>
    element === undefined ? `\\${found}` : (groups[element] ?? '(?!)'),
  )
  const found = new RegExp(`^${source}$`).exec(text)?.groups
  if (found === undefined) return undefined
  const part = (name: string, length: number, otherwise: string) => (found[name] ?? otherwise).padStart(length, '0')
  const day = `${part('Y', 4, '1970')}-${part('m', 2, '1')}-${part('d', 2, '1')}`
  const clock = `${part('H', 2, '0')}:${part('M', 2, '0')}:${part('S', 2, '0')}`
  return times.momentOf(`${day}T${clock}.${found.f ?? '0'}Z`)
}

const truncate = (time: Scalar, unit: Scalar) => inRange(times.truncate(moment(time), unitOf(unit)))

const TIMES: Record<string, Implementation> = {
  timestamp_trunc: strict((time: Scalar, unit: Scalar) => new Timestamp(truncate(time, unit))),
  datetime_trunc: strict((time: Scalar, unit: Scalar) => new Datetime(truncate(time, unit))),
  date_trunc: strict((time: Scalar, unit: Scalar) => new CivilDate(times.dayOf(truncate(time, unit)))),
  timestamp_bucket: strict((time: Scalar, width: Scalar) => {
    if (typeof width !== 'number' || width < 1 || !Number.isSafeInteger(width)) return fail()
    const us = BigInt(moment(time))
    const over = ((us % BigInt(width)) + BigInt(width)) % BigInt(width)
    return new Timestamp(inRange(us - over))
  }),
  time_add: strict((time: Scalar, count: Scalar, unit: Scalar) =>
    sameKind(time, times.add(moment(time), exactWhole(count), unitOf(unit)), unitOf(unit)),
  ),
  timestamp_diff: strict((a: Scalar, b: Scalar, unit: Scalar) => times.elapsed(moment(a), moment(b), unitOf(unit))),
  date_diff: strict((a: Scalar, b: Scalar, unit: Scalar) => times.boundaries(moment(a), moment(b), unitOf(unit))),
  extract: strict((time: Scalar, part: Scalar) => times.partOf(moment(time), String(part).toLowerCase()) ?? fail()),
  unix_seconds: strict((time: Scalar) => times.sinceEpoch(moment(time), 1_000_000n)),
  unix_millis: strict((time: Scalar) => times.sinceEpoch(moment(time), 1000n)),
  unix_micros: strict((time: Scalar) => integer(BigInt(moment(time)))),
  known_time: strict((time: Scalar) => new Timestamp(moment(time))),
  timestamp_seconds: fromEpoch(1_000_000n),
  timestamp_millis: fromEpoch(1000n),
  timestamp_micros: fromEpoch(1n),
  format_timestamp: strict((format: string, time: Scalar) => times.format(format, moment(time)) ?? fail()),
  parse_timestamp: strict((format: string, text: Scalar) => new Timestamp(parse(format, textOf(text)) ?? fail())),
}

/** The JSON at a path like `$.a[0]`, or undefined if nothing is there. */
function jsonAt(value: Scalar, path: string): JsonNode | undefined {
  if (!/^\$(\.\w+|\[\d+\]|\['[^']*'\])*$/.test(path)) return fail()
  let found = readJson(typeof value === 'string' ? value : jsonOf(value))
  for (const [, key, place, quoted] of path.matchAll(/\.(\w+)|\[(\d+)\]|\['([^']*)'\]/g)) {
    if ((found?.isList === true) !== (place !== undefined)) return undefined
    found = found?.members?.get((key ?? place ?? quoted)!)
  }
  return found
}

/** JSON without white space outside of its texts. */
const compact = (json: string) =>
  json.replace(/"(?:[^"\\]|\\.)*"|\s+/gs, (piece) => (piece.startsWith('"') ? piece : ''))

/** Integers that a double may round are texts. */
function jsonStringOf(value: Scalar): string {
  if (Array.isArray(value)) return `[${value.map(jsonStringOf).join(',')}]`
  const isWide = typeof value === 'bigint' && BigInt.asIntN(54, value) !== value && value !== 2n ** 53n
  return isWide ? `"${value}"` : jsonOf(value)
}

const JSONS: Record<string, Implementation> = {
  json_value: strict((value: Scalar, path = '$') => {
    const found = jsonAt(value, path)
    if (found === undefined || found.members !== undefined || found.text === 'null') return null
    return found.text.startsWith('"') ? scalarOf(found) : found.text
  }),
  json_query: strict((value: Scalar, path = '$') => {
    const { text } = jsonAt(value, path) ?? {}
    return text === undefined || text === 'null' ? null : compact(text)
  }),
  to_json_string: (value) => bounded(compact(jsonStringOf(value!()))),
  json_object: (...args) => {
    const given = args.map((arg) => arg())
    if (given.length % 2 === 1) return fail()
    const members = new Map<Scalar, Scalar>()
    for (const [i, key] of given.entries()) if (i % 2 === 0 && !members.has(key)) members.set(key, given[i + 1]!)
    if ([...members.keys()].some((key) => typeof key !== 'string')) return fail()
    return new RawJson(`{${[...members].map((member) => member.map(jsonOf).join(':')).join(',')}}`)
  },
  repeated: (value, isElement) => repeated(value!(), isElement?.() === true),
  field: (json, ...keys) => {
    const found = fieldOf(json!(), keys)
    return found === undefined ? null : scalarOf(found)
  },
  field_text: (json, ...keys) => {
    const found = fieldOf(json!(), keys)
    const value = found === undefined ? null : scalarOf(found)
    return kindOf(value) === 'number' ? found!.text : value
  },
}

/** The JSON of a value in which every object is an element of a list. Everything else keeps its spelling. */
function repeatedText(json: string, isElement: boolean): string {
  const around = isElement ? ['['] : ['']
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs, (token) => {
    if (token.startsWith('"')) return token
    if (token === '{' || token === '[') {
      const isPut = token === '{' && around.at(-1) !== '['
      around.push(isPut ? 'put' : token)
      return isPut ? '[{' : token
    }
    return around.pop() === 'put' ? '}]' : token
  })
}

function repeated(value: Scalar, isElement: boolean): Scalar {
  if (value instanceof RawJson) return new RawJson(bounded(repeatedText(value.text, isElement)))
  return Array.isArray(value) ? value.map((one) => repeated(one, true)) : value
}

function fieldOf(json: Scalar, keys: readonly Arg[]): JsonNode | undefined {
  let node = json instanceof RawJson ? readJson(json.text) : undefined
  for (const key of keys) {
    if (node?.isList) node = node.members!.get('0')
    node = node?.isList ? undefined : node?.members?.get(String(key()))
  }
  return node
}

/** The functions of which a field that is an argument is read as text. */
export const READS_TEXTS: ReadonlySet<string> = new Set([...Object.keys(TEXTS), 'cast_string', 'safe_cast_string'])

function elementAt(list: Scalar, place: Scalar): Scalar | undefined {
  if (!Array.isArray(list)) return fail()
  const index = needNumber(place)
  return isWhole(index) ? (list as readonly Scalar[])[Number(index)] : fail()
}

const LISTS: Record<string, Implementation> = {
  offset: strict((list: Scalar, place: Scalar) => {
    const found = elementAt(list, place)
    return found === undefined ? fail() : found
  }),
  safe_offset: strict((list: Scalar, place: Scalar) => elementAt(list, place) ?? null),
}

const ALL: Readonly<Record<string, Implementation>> = {
  ...LOGIC,
  ...COMPARE,
  ...NUMBERS,
  ...TEXTS,
  ...CASTS,
  ...TIMES,
  ...JSONS,
  ...LISTS,
}

/** The names of all functions that the oracle knows. */
export const FUNCTION_NAMES = Object.keys(ALL) as FunctionName[]

/** Calls a function. Fails with an {@link OracleError}, or as patterns do. */
export function callFunction(fn: FunctionName, args: readonly Arg[]): Scalar {
  return ALL[fn]!(...args)
}
