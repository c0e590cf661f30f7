/** One piece of a pattern: an escape, a repetition, a class of characters, or a single character. */
const TOKEN = /\\[pPx]\{[^}]*\}|\\[pP].|\\x..|\\[0-7]+|\{[0-9,]*\}|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|./gsu
/** What must not occur, since the reading below does not understand it: alternatives, flags, quotations. */
const NOT_READ = /\||\(\?|\\Q/u
const METACHARACTERS = '^$.[]{}()*+?|\\'
const MAY_BE_ABSENT = '*?{'

/**
 * The longest text that occurs in whatever the pattern matches; empty where none is found. A text that does not hold
 * it needs no look by RE2. `pattern` is valid RE2.
 */
export function requiredLiteral(pattern: string): string {
  if (NOT_READ.test(pattern)) return ''
  const runs: string[] = ['']
  let depth = 0
  const tokens = pattern.match(TOKEN) ?? []
  tokens.forEach((token, i) => {
    if (token === '(') depth++
    const text = depth === 0 ? textOf(token) : undefined
    const next = tokens[i + 1] ?? ''
    if (text === undefined || (next !== '' && MAY_BE_ABSENT.includes(next[0]!))) runs.push('')
    else runs[runs.length - 1] += text
    if (token === ')') depth--
  })
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest))
}

/** The one text that a token matches, or undefined. */
function textOf(token: string): string | undefined {
  if (token.length === 1 || (token.codePointAt(0)! > 0xffff && token.length === 2)) {
    return METACHARACTERS.includes(token) ? undefined : token
  }
  return /^\\[^A-Za-z0-9]$/su.test(token) ? token.slice(1) : undefined
}
