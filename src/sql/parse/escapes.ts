/** The characters that a backslash and a letter represent in a text of BigQuery's SQL. */
const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
}

const ESCAPE = /\\(?:[xX]([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g
const LAST_CODE_POINT = 0x10ffff

/**
 * Returns the text between quotes with escapes decoded. An unknown escape keeps the backslash, so that `'\d'` is a
 * pattern of a digit. An escape of half a surrogate pair becomes U+FFFD, as in the values of rows.
 */
export function decodeEscapes(quoted: string): string {
  return quoted.includes('\\') ? quoted.replace(ESCAPE, decoded).toWellFormed() : quoted
}

function decoded(whole: string, x?: string, u?: string, long?: string, octal?: string, letter?: string): string {
  if (letter !== undefined) return LETTERS[letter] ?? whole
  const code = octal === undefined ? Number.parseInt((x ?? u ?? long)!, 16) : Number.parseInt(octal, 8)
  return code > LAST_CODE_POINT ? whole : String.fromCodePoint(code)
}
