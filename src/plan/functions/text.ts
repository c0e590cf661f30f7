import { firstMatch, matches } from '../../base/pattern/match.js'
import { compilePattern, type Pattern } from '../../base/pattern/pattern.js'
import { foldCase, simpleFold } from '../../base/text/fold-case.js'
import { searchFor, splitAt } from '../../base/text/text-search.js'
import type { Scalar } from '../values/values.js'
import { bounded, MAX_VALUE_LENGTH, prepared, queryError, type ScalarFunction, strict, tooLong } from './function.js'
import { wholeNumber } from './number.js'
import { regexpReplace } from './regexp-replace.js'
import { textOf } from './text-of.js'

/** The text of an argument of a text function: the digits of a number, JSON as stored. */
const text = (value: Scalar): string => textOf(value)

/** Functions over texts. Lengths and places count code points. */
export const TEXT = {
  lower: strict(1, 'text', (value: Scalar) => bounded(simpleFold(text(value)))),
  upper: strict(1, 'text', (value: Scalar) => bounded(text(value).toUpperCase())),
  trim: strict([1, 2], 'text', (value: Scalar, characters?: Scalar) =>
    trimOf(text(value), characters === undefined ? WHITE_SPACE : codePointsOf(text(characters))),
  ),
  length: strict(1, 'integer', (value: Scalar) => codePoints(text(value))),
  concat: strict([1, Number.POSITIVE_INFINITY], 'text', (...values: Scalar[]) => concat(values)),
  substr: strict([2, 3], 'text', (value: Scalar, from: Scalar, length?: Scalar) =>
    substr(text(value), wholeNumber(from), length === undefined ? undefined : wholeNumber(length)),
  ),
  replace: strict(3, 'text', (value: Scalar, from: Scalar, to: Scalar) =>
    replaceAll(text(value), text(from), text(to)),
  ),
  starts_with: strict(2, 'boolean', (value: Scalar, start: Scalar) => text(value).startsWith(text(start))),
  ends_with: strict(2, 'boolean', (value: Scalar, end: Scalar) => text(value).endsWith(text(end))),
  /** Whether a text holds another, letter by letter. */
  contains: containing((value) => value),
  /** The same without regard to case. */
  contains_substr: containing(foldCase),
  /** The path in a URL: from the first slash after the host up to a `?` or `#`. Empty if the URL has no path. */
  url_path: strict(1, 'text', (value: Scalar) => urlPath(text(value))),
  split: strict([1, 2], 'list', (value: Scalar, separator?: Scalar) =>
    split(text(value), separator === undefined ? ',' : text(separator)),
  ),
  like: like('s'),
  ilike: like('is'),
  regexp_contains: withPattern(2, 'boolean', (pattern) => (value: Scalar) => matches(pattern, text(value))),
  regexp_extract: withPattern(2, 'text', (pattern) => {
    if (pattern.groups > 1)
      throw queryError('regexp_extract takes a pattern with one group: write (?:…) for the others.')
    return (value: Scalar) => firstMatch(pattern, text(value))?.at(-1) ?? null
  }),
  regexp_replace: withPattern(
    3,
    'text',
    (pattern) => (value: Scalar, _: Scalar, to: Scalar) => regexpReplace(text(value), pattern, text(to)),
  ),
} as const

function urlPath(url: string): string {
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  const scheme = path.indexOf('://')
  const start = path.indexOf('/', scheme < 0 ? 0 : scheme + 3)
  return start < 0 ? '' : path.slice(start)
}

function codePoints(value: string): number {
  let count = 0
  for (let i = 0; i < value.length; i++) if ((value.charCodeAt(i) & 0xfc00) !== 0xdc00) count++
  return count
}

/** A test whether a text holds another text, both in a form. A literal part is prepared once. */
function containing(formOf: (value: string) => string): ScalarFunction {
  return prepared(2, 'boolean', ([, literal]) => {
    const prepare = (part: Scalar) => searchFor(formOf(text(part)))
    const known = literal === undefined || literal === null ? undefined : prepare(literal)
    return (value: Scalar, part: Scalar) => (known ?? prepare(part))(formOf(text(value)), 0) >= 0
  })
}

/** Some code points. */
type CodePoints = Pick<ReadonlySet<number>, 'has'>

function trimOf(value: string, set: CodePoints): string {
  let start = 0
  for (let point = value.codePointAt(start); point !== undefined && set.has(point); point = value.codePointAt(start))
    start += sizeOf(point)
  let end = value.length
  for (let point = pointBefore(value, end); end > start && set.has(point); point = pointBefore(value, end))
    end -= sizeOf(point)
  return value.slice(start, end)
}

/** A table of all code points is quicker than a set of so many characters, and a set is quicker made of fewer. */
const MANY_CHARACTERS = 4096
const ALL_CODE_POINTS = 0x110000

function codePointsOf(value: string): CodePoints {
  if (value.length < MANY_CHARACTERS) return new Set(Array.from(value, (character) => character.codePointAt(0)!))
  const isIn = new Uint8Array(ALL_CODE_POINTS)
  for (let at = 0; at < value.length; ) {
    const point = value.codePointAt(at)!
    isIn[point] = 1
    at += sizeOf(point)
  }
  return { has: (point) => isIn[point] === 1 }
}

/** The length of a code point in UTF-16 units. */
const sizeOf = (point: number): number => (point > 0xffff ? 2 : 1)

/** The code points with the property White_Space of Unicode. `String.trim` has U+FEFF as well, and not U+0085. */
const WHITE_SPACE = codePointsOf(
  '\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
    '\u2028\u2029\u202f\u205f\u3000',
)

/** The code point that ends before a place of a text. NaN at the start of the text. */
function pointBefore(value: string, end: number): number {
  const pair = end > 1 ? value.codePointAt(end - 2)! : 0
  return pair > 0xffff ? pair : value.charCodeAt(end - 1)
}

function concat(values: readonly Scalar[]): string {
  const texts = values.map(text)
  if (texts.reduce((length, { length: more }) => length + more, 0) > MAX_VALUE_LENGTH) throw tooLong()
  return texts.join('')
}

/** Places count from 1. A negative place counts from the end, 0 means 1. */
function substr(value: string, from: number, length = Number.POSITIVE_INFINITY): string {
  if (length < 0) throw queryError('substr: the length must not be negative.')
  const skipped = from > 0 ? from - 1 : from === 0 ? 0 : Math.max(0, codePoints(value) + from)
  const start = after(value, 0, skipped)
  return value.slice(start, after(value, start, length))
}

/** Returns the place in UTF-16 units that is some code points behind another place. At most the end of the text. */
function after(value: string, from: number, points: number): number {
  let at = from
  for (let left = points; left >= 1 && at < value.length; left--) at += sizeOf(value.codePointAt(at)!)
  return at
}

function replaceAll(value: string, from: string, to: string): string {
  if (from === '') return value
  const parts = splitAt(from, value)
  if (value.length + (parts.length - 1) * (to.length - from.length) > MAX_VALUE_LENGTH) throw tooLong()
  return parts.join(to)
}

function split(value: string, separator: string): readonly Scalar[] {
  if (value === '') return ['']
  if (separator === '') return [...value]
  return splitAt(separator, value)
}

/** `%` is any text, `_` any character, a backslash takes the next character literally. */
function like(flags: string): ScalarFunction {
  return prepared(2, 'boolean', ([, literal]) => {
    const compile = (pattern: string) => compileLike(pattern, flags)
    const known = typeof literal === 'string' ? compile(literal) : undefined
    return (value: Scalar, pattern: Scalar) => matches(known ?? compile(text(pattern)), text(value))
  })
}

/** Compiles a pattern of `like`. Throws if the pattern is wrong. */
export const compileLike = (pattern: string, flags: string): Pattern =>
  compilePattern(`^(?:${likePattern(pattern)})$`, flags)

/** Returns the RE2 pattern that matches, with the flag `s`, the texts that a pattern of `like` matches as a whole. */
export function likePattern(pattern: string): string {
  let source = ''
  const points = [...pattern]
  for (let i = 0; i < points.length; i++) {
    const point = points[i]
    if (point === '%') source += '.*'
    else if (point === '_') source += '.'
    else if (point !== '\\') source += quote(point)
    else if (++i < points.length) source += quote(points[i])
    else throw queryError('A pattern of LIKE ends with a backslash: write two for one.')
  }
  return source
}

const quote = (point: string) => (/^[\w\s]$/.test(point) || point > '\x7f' ? point : `\\${point}`)

/** A function with an RE2 pattern, which must be a literal, as its second argument. */
function withPattern(
  arity: number,
  type: 'boolean' | 'text',
  apply: (pattern: Pattern) => (...args: never[]) => Scalar,
): ScalarFunction {
  return prepared(arity, type, ([, literal]) => {
    if (typeof literal !== 'string') throw queryError('A pattern must be a text that is written in the query.')
    return apply(compilePattern(literal))
  })
}
