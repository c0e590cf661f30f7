/** A token of a pattern: an escape, a repetition, a character class, or a single character. */
const TOKEN = /\\[pPx]\{[^}]*\}|\\[pP].|\\x..|\\[0-7]+|\{[0-9,]*\}|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|./gsu
/** Up to a construct that the analysis below does not support: alternatives, flags, quotations. Skips escapes. */
const UNSUPPORTED = /^(?:[^\\]|\\[^Q])*?(?:\||\(\?|\\Q)/su
const METACHARACTERS = '^$.[]{}()*+?|\\'
const MAY_BE_ABSENT = '*?{'

/**
 * Returns the longest text that every match of the pattern contains, or an empty text if none is found. Texts without
 * that literal need not be matched by RE2. `pattern` must be valid RE2.
 */
export function requiredLiteral(pattern: string): string {
  if (UNSUPPORTED.test(pattern)) return ''
  const runs: string[] = ['']
  let depth = 0
  const tokens = pattern.match(TOKEN) ?? []
  tokens.forEach((token, i) => {
    if (token === '(') depth++
    const text = depth === 0 ? textOf(token) : undefined
    const next = tokens[i + 1] ?? ''
    if (text === undefined || (next !== '' && MAY_BE_ABSENT.includes(next[0]))) runs.push('')
    else runs[runs.length - 1] += text
    if (token === ')') depth--
  })
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest))
}

/** Returns the only text that a token matches, or undefined if the token matches several texts. */
function textOf(token: string): string | undefined {
  if (token.length === 1 || (token.codePointAt(0)! > 0xffff && token.length === 2)) {
    return METACHARACTERS.includes(token) ? undefined : token
  }
  return /^\\[^A-Za-z0-9]$/su.test(token) ? token.slice(1) : undefined
}
