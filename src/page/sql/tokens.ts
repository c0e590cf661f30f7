/** The tokens of a query that is being written, and may be incomplete or wrong. */

/** A token and its place in the text, from `at` to before `end`. */
export interface Token {
  kind: 'word' | 'quoted' | 'text' | 'comment' | 'number' | 'symbol'
  at: number
  end: number
  /** The spelling. */
  text: string
}

/**
 * Texts, names and comments without an end reach to the end of the query. Two quotes in a text mean one quote. A
 * text between three quotes may have one or two quotes in a row. Four quotes alone are a text of one quote.
 */
const PATTERNS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['comment', /--[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['text', /[rR]?'''(?!'(?!'))(?:[^'\\]|\\[\s\S]|'{1,2}(?!'))*'''/y],
  ['text', /[rR]?"""(?!"(?!"))(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"""/y],
  ['text', /[rR]?'(?:[^'\\]|\\[\s\S]|'')*(?:'|\\?$)/y],
  ['text', /[rR]?"(?:[^"\\]|\\[\s\S]|"")*(?:"|\\?$)/y],
  ['quoted', /`(?:[^`\\]|\\[\s\S])*(?:`|\\?$)/y],
  ['word', /@?[A-Za-z_]\w*/y],
  ['number', /\d[\w.]*|\.\d+/y],
  ['symbol', /\S/y],
]

/** Splits a query into tokens. Blanks are no tokens. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < query.length; ) {
    const token = tokenAt(query, at)
    if (token !== undefined) tokens.push(token)
    at = token?.end ?? at + 1
  }
  return tokens
}

/** Returns the token that begins at an offset, or undefined for a blank. */
function tokenAt(query: string, at: number): Token | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at
    const text = pattern.exec(query)?.[0]
    if (text !== undefined) return { kind, at, end: at + text.length, text }
  }
  return undefined
}

/** Returns a name without backticks. */
export const nameOf = ({ kind, text }: Token): string =>
  kind === 'quoted' ? text.replace(/^`|`$/g, '').replaceAll(/\\(.)/g, '$1') : text

/** Returns whether a token is this word, in any case, or this symbol. */
export const isToken = (token: Token | undefined, ...texts: readonly string[]): boolean =>
  (token?.kind === 'word' || token?.kind === 'symbol') && texts.includes(token.text.toLowerCase())
