import { createRequire } from 'node:module'
import { LogweirError } from './errors.js'

// re2 is CommonJS, and its types describe `export =`; require keeps one import form on every Node version.
const RE2 = createRequire(import.meta.url)('re2') as typeof import('re2')

/** A compiled pattern. On a Buffer it matches UTF-8, and its indexes count bytes. */
export type Pattern = InstanceType<typeof RE2>

/** The longest valid pattern, in code points. */
export const MAX_PATTERN_LENGTH = 1_000

/** One token of a pattern: a quotation, an escape, a character class, or a single character. */
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
/** A quotation, an escape, a character class, or the start of a group that captures its match, with its name. */
const GROUP_OR_TOKEN = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|(\((?!\?)|\(\?P?<\w+>)/gsu
const METACHARACTER = /[\\^$.|?*+()[\]{}/]/gu

/**
 * Compiles a pattern in RE2's own syntax; `flags` are those of the library (`g`, `m`, `s`, …). Throws `invalid_pattern`
 * with the reason if the pattern is not valid RE2 or is too long.
 */
export function compilePattern(text: string, flags = ''): Pattern {
  if ([...text].length > MAX_PATTERN_LENGTH) throw invalid(`it is longer than ${MAX_PATTERN_LENGTH} characters`)
  try {
    return new RE2(toRe2Syntax(text), flags)
  } catch (error) {
    throw error instanceof LogweirError ? error : invalid((error as Error).message)
  }
}

/**
 * Returns the valid pattern with groups that capture nothing. It matches the same texts; to know where the groups of a
 * match are, RE2 takes up to fifty times as long as for the match itself.
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
  return (compilePattern(text) as Pattern & { internalSource: string }).internalSource
}

/**
 * Rewrites the constructs that the library reads differently from RE2. JavaScript's escapes are refused; `\Q…\E` is
 * replaced by escapes, because the library escapes the slashes in it; in a character class `(?<` is escaped, because
 * the library takes it for a named group.
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
