import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import { LogweirError } from '../errors.js'
import { patternSize } from './pattern-size.js'

// re2 is CommonJS with types that describe `export =`. require keeps the import form the same on every Node version.
const RE2 = createRequire(import.meta.url)('re2') as typeof import('re2')

/** The library's pattern. The library's own types do not include the search of a Buffer. */
interface Re2 {
  /** Where the next search starts, if the pattern has the flag `g`: the end of the last match. */
  lastIndex: number
  /** The pattern that the library has passed to RE2. */
  readonly internalSource: string
  readonly source: string
  test(text: string | Buffer): boolean
  exec(text: string): RegExpExecArray | null
  exec(bytes: Buffer): (ArrayLike<Buffer | undefined> & { readonly index: number; readonly 0: Buffer }) | null
}

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

/** A token of a pattern: a quotation, an escape, a character class, or a single character. */
const TOKEN = /\\Q(.*?)(?:\\E|$)|\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|./gsu

/** The first character of a token that is not a single character. */
const NOT_ONE_CHARACTER = /[\\[]/u

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
    return new RE2(toRe2Syntax(text), flags) as never
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
function toRe2Syntax(text: string): string {
  if (!NOT_ONE_CHARACTER.test(text)) return text
  return text.replace(TOKEN, (token, quoted: string | undefined) => {
    if (quoted !== undefined) return quotePattern(quoted)
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
