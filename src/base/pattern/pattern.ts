import { LRUCache } from 'lru-cache'
import { LogweirError } from '../errors.js'
import { patternSize } from './pattern-size.js'
import type { Re2 } from './re2.js'
import { createRe2 } from './re2-engine.js'

/** A compiled pattern. base/match.ts searches texts of any length with the pattern. */
export interface Pattern {
  /** The library's object, for short texts. On a Buffer the object matches UTF-8, and indexes count bytes. */
  readonly re2: Re2
  /** The estimated instructions of RE2's program, see {@link patternSize}. */
  readonly size: number
  /** The number of groups that capture their match. */
  readonly groups: number
  /** Returns the rewritten pattern with the given flags of the library. Compiles the pattern once. */
  variant(rewrite: (pattern: string) => string, flags: string): Pattern
}

/** The longest valid pattern, in code points. */
export const MAX_PATTERN_LENGTH = 1_000
/** The largest valid pattern, in {@link patternSize instructions}. RE2 compiles the pattern within 10 ms. */
export const MAX_PATTERN_SIZE = 12_500
/** The largest sum of the sizes of all patterns of a query. */
export const MAX_PATTERNS_SIZE = 2 * MAX_PATTERN_SIZE
/**
 * The number of patterns that remain compiled, since each batch of rows compiles the patterns of the query. RE2 keeps
 * up to 8 MiB for the automaton of each pattern.
 */
const COMPILED_PATTERNS = 16

const compiled = new LRUCache<string, Pattern>({ max: COMPILED_PATTERNS })

/** A token of a pattern: a quotation, an escape, a character class, the name of a group, or a single character. */
const TOKEN =
  /\\Q(.*?)(?:\\E|$)|\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|\(\?P?<(?![=!])([^>]*)>|./gsu

/** The start of a token that is not a single character. */
const NOT_ONE_CHARACTER = /[\\[]|\(\?/u

/** JavaScript's names of character classes, which the library would translate to RE2's `\p{L}`, `\p{Greek}`. */
const JAVASCRIPT_PROPERTIES = [
  /^(?:[^\\]|\\.)*?\\[pP]\{[^}]*=[^}]*\}/su,
  /^(?:[^\\]|\\.)*?\\[pP]\{(?:[^}]*_)?(?:Letter|Mark|Number|Punctuation|Symbol|Separator)\}/su,
  /^(?:[^\\]|\\.)*?\\[pP]\{(?:Control|Format|Surrogate|Private_Use|Unassigned|Other)\}/su,
]
const JAVASCRIPT_ESCAPE = /^(?:[^\\]|\\.)*?\\[uc]/su
/** A quotation, an escape, a character class, or the start of a capturing group, with the name. */
const GROUP_OR_TOKEN = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|(\((?!\?)|\(\?P?<\w+>)/gsu
const METACHARACTER = /[\\^$.|?*+()[\]{}/]/gu

/**
 * Compiles a pattern in RE2's own syntax. `flags` are flags of the library (`g`, `m`, `s`, …). Throws `invalid_pattern`
 * with the reason if the pattern is not valid RE2, too long or too large.
 */
export function compilePattern(text: string, flags = ''): Pattern {
  const key = `${flags}/${text}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const pattern = newPattern(text, flags, sizeOfPattern(text, flags))
  compiled.set(key, pattern)
  return pattern
}

/** Returns the instructions of a pattern. Throws `invalid_pattern` if the pattern is too long or too large. */
function sizeOfPattern(text: string, flags = ''): number {
  if ([...text].length > MAX_PATTERN_LENGTH) throw invalid(`it is longer than ${MAX_PATTERN_LENGTH} characters`)
  const size = patternSize(text, flags.includes('i'))
  if (size > MAX_PATTERN_SIZE) throw tooLarge(`it is too large: ${size} steps`)
  return size
}

/** Adds up the sizes of the distinct patterns of a query. Throws `invalid_pattern` beyond {@link MAX_PATTERNS_SIZE}. */
export function createPatternCount(): (pattern: string) => void {
  const counted = new Set<string>()
  let size = 0
  return (pattern) => {
    if (counted.has(pattern)) return
    counted.add(pattern)
    size += sizeOfPattern(pattern)
    if (size > MAX_PATTERNS_SIZE) throw tooLarge(`all patterns of the query are too large: over ${size} steps`)
  }
}

const tooLarge = (reason: string) =>
  invalid(
    `${reason}, where ${MAX_PATTERN_SIZE} are allowed, and ${MAX_PATTERNS_SIZE} for a query. ` +
      'Repetitions such as {300} multiply them, and classes such as \\pL have many',
  )

function newPattern(text: string, flags: string, size: number): Pattern {
  const re2 = compileRe2(text, flags)
  const variants = new Map<string, Pattern>()
  const pattern: Pattern = {
    re2,
    size,
    groups: [...text.matchAll(GROUP_OR_TOKEN)].filter(([, group]) => group !== undefined).length,
    variant(rewrite, wanted) {
      const rewritten = rewrite(text)
      if (rewritten === text && wanted === flags) return pattern
      const key = `${wanted}/${rewritten}`
      const variant = variants.get(key) ?? newPattern(rewritten, wanted, size)
      variants.set(key, variant)
      return variant
    },
  }
  return pattern
}

function compileRe2(text: string, flags: string): Pattern['re2'] {
  try {
    return createRe2(toRe2Syntax(text), flags)
  } catch (error) {
    throw error instanceof LogweirError ? error : invalid((error as Error).message)
  }
}

/**
 * Returns the valid pattern with groups that capture nothing. The result matches the same texts. To locate the groups
 * of a match, RE2 takes up to fifty times as long as for the match itself.
 */
export function withoutCaptures(pattern: string): string {
  return pattern.replace(GROUP_OR_TOKEN, (token, group: string | undefined) => (group === undefined ? token : '(?:'))
}

/** Returns the pattern that matches exactly this text. */
export function quotePattern(text: string): string {
  return text.replace(METACHARACTER, '\\$&')
}

/**
 * Returns the pattern that the library passes to RE2, with spellings such as `(?<name>…)` translated. Throws
 * `invalid_pattern`.
 */
export function re2Source(text: string): string {
  return compilePattern(text).re2.internalSource
}

/**
 * Rewrites the constructs that the library reads differently from RE2. JavaScript's escapes are refused. `\Q…\E` is
 * replaced by escapes, because the library escapes the slashes in a quotation. In a character class `(?<` is escaped,
 * because the library takes `(?<` for a named group.
 */
export function toRe2Syntax(text: string): string {
  if (!text.isWellFormed()) throw invalid('it has half a surrogate pair, which no text has')
  if (!NOT_ONE_CHARACTER.test(text)) return text
  return text.replace(TOKEN, (token, quoted: string | undefined, name: string | undefined) => {
    if (quoted !== undefined) return quotePattern(quoted)
    if (token === '\\C')
      throw invalid('\\C matches a single byte, which may be a part of a character; write . or (?s:.)')
    if (name !== undefined && !/^\w+$/.test(name))
      throw invalid('the name of a group has letters without accents, digits and underscores')
    if (JAVASCRIPT_ESCAPE.test(token))
      throw invalid('\\u and \\c are JavaScript escapes; write the character or \\x{…}')
    if (JAVASCRIPT_PROPERTIES.some((property) => property.test(token)))
      throw invalid(`${token} is a JavaScript class; write RE2's own, as \\p{L}`)
    return token.startsWith('[') ? token.replaceAll('(?<', '(?\\<') : token
  })
}

function invalid(reason: string): LogweirError<'invalid_pattern'> {
  return new LogweirError('invalid_pattern', `The pattern is not valid RE2: ${reason}.`)
}
