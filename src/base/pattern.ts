import { createRequire } from 'node:module'
import { LogweirError } from './errors.js'

// re2 is CommonJS whose types describe `export =`; require keeps one import form on every Node version.
const RE2 = createRequire(import.meta.url)('re2') as typeof import('re2')

/** A compiled pattern. It reads Buffers as UTF-8 and then counts in bytes. */
export type Pattern = InstanceType<typeof RE2>

/** The longest pattern taken, in code points. */
export const MAX_PATTERN_LENGTH = 1_000

/** One piece of a pattern: a quotation, an escape, a class of characters, or a single character. */
const TOKEN = /\\Q(.*?)(?:\\E|$)|\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|./gsu

/** Names that the library would translate to RE2's own `\p{L}`, `\p{Greek}`: forms of JavaScript. */
const JAVASCRIPT_PROPERTY =
  /^(?:[^\\]|\\.)*?\\[pP]\{(?:[^}]*=[^}]*|(?:[^}]*_)?(?:Letter|Mark|Number|Punctuation|Symbol|Separator)|Control|Format|Surrogate|Private_Use|Unassigned|Other)\}/su
const JAVASCRIPT_ESCAPE = /^(?:[^\\]|\\.)*?\\[uc]/su
const METACHARACTER = /[\\^$.|?*+()[\]{}/]/gu

/**
 * Compiles RE2's own syntax; `flags` are the library's (`g`, `m`, `s`, …).
 * Throws `invalid_pattern` with the reason on text that is not valid RE2, or too long.
 */
export function compilePattern(text: string, flags = ''): Pattern {
  if ([...text].length > MAX_PATTERN_LENGTH) throw invalid(`it is longer than ${MAX_PATTERN_LENGTH} characters`)
  try {
    return new RE2(ownSyntax(text), flags)
  } catch (error) {
    throw error instanceof LogweirError ? error : invalid((error as Error).message)
  }
}

/** The pattern that matches this very text. */
export function quotePattern(text: string): string {
  return text.replace(METACHARACTER, '\\$&')
}

/** A pattern as RE2 itself gets it: the library's own spellings, as `(?<name>…)`, translated. Throws `invalid_pattern`. */
export function re2Source(text: string): string {
  return (compilePattern(text) as Pattern & { internalSource: string }).internalSource
}

/**
 * The pattern without what the library would read otherwise than RE2: JavaScript's escapes are refused,
 * `\Q…\E` is spelled out, since the library escapes the slashes within it, and in a class of characters `(?<` is
 * escaped, since the library takes it for the start of a named group.
 */
function ownSyntax(text: string): string {
  return text.replace(TOKEN, (token, quoted: string | undefined) => {
    if (quoted !== undefined) return quotePattern(quoted)
    if (JAVASCRIPT_ESCAPE.test(token))
      throw invalid('\\u and \\c are JavaScript escapes; write the character or \\x{…}')
    if (JAVASCRIPT_PROPERTY.test(token)) throw invalid(`${token} is a JavaScript class; write RE2's own, as \\p{L}`)
    return token.startsWith('[') ? token.replaceAll('(?<', '(?\\<') : token
  })
}

function invalid(reason: string): LogweirError<'invalid_pattern'> {
  return new LogweirError('invalid_pattern', `The pattern is not valid RE2: ${reason}.`)
}
