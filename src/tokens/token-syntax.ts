import { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'

/** Plain tokens in the forms in which people, editors and secret managers write them. No error contains a token. */

/** Checks that a header can carry a token. Returns it, or throws `usage`; `where` begins the message. */
export function checkToken(token: string, where: string): string {
  if (token === '') throw usageError(`${where} is empty. Remove it, or write it out.`)
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(`${where} holds white space or a non-ASCII character. Choose another.`)
  }
  if (/^\$\{\w+[^}]*\}$/.test(token)) {
    throw usageError(`${where} is a placeholder that was not replaced. Write the token itself.`)
  }
  if (/^[[{](?:"|$)/.test(token)) throw usageError(`${where} looks like JSON. Write only the token.`)
  return token
}

/** A text without the white space around it, and without one pair of quotes around it if it has no other of their kind. */
export function unquote(text: string): string {
  const [, , inner] = /^(['"])((?:(?!\1).)*)\1$/s.exec(text.trim()) ?? []
  return (inner ?? text).trim()
}

/**
 * The tokens of a variable: between commas or line ends, each of which may have blanks around it. All of them together may
 * be in quotes, and each of them. Throws `usage` if one is empty.
 */
export function parseTokensVariable(text: string, where: string): string[] {
  const parts = unquote(text).split(/\s*,\s*|\s*[\r\n]\s*/)
  return parts.map((part, i) => checkToken(unquote(part), `${where}: token ${i + 1}`))
}

/**
 * The tokens of a file: one a line, in quotes or not, with `#` before a comment; or a line `NAME=value` as in a file of
 * variables, if the name says that it is a token. Throws `usage` on a line that is neither, `tokens_unavailable` if there
 * is no token.
 */
export function parsePlainTokens(text: string, path: string): string[] {
  const lines = text.split(/\r\n|[\r\n]/).map(withoutComment)
  const tokens = lines.flatMap((line, i) => (line === '' ? [] : readLine(line, `${path}: line ${i + 1}`)))
  // The program that writes the file may not have come to it yet: this state can pass.
  if (tokens.length > 0) return tokens
  throw new LogweirError('tokens_unavailable', `${path}: holds no token. Write one on a line of its own.`)
}

/** A comment behind a quote that does not end is kept: the line is refused then, rather than cut. */
function withoutComment(line: string): string {
  const bare = line.trim()
  if (bare.startsWith('#')) return ''
  const [, quoted] = /^((['"])(?:(?!\2).)*\2)\s+#/.exec(bare) ?? []
  if (quoted !== undefined) return quoted
  return /^['"]/.test(bare) ? bare : bare.replace(/\s+#.*$/, '')
}

/** `TOKEN`, `LOGWEIR_TOKEN`, `LOGWEIR_ACCESS_TOKENS`. */
const TOKEN_VARIABLE = /^(?:LOGWEIR_)?(?:ACCESS_)?TOKENS?$/i

function readLine(line: string, where: string): string[] {
  const [, before, name, after, value] = /^(export\s+)?([A-Za-z_]\w*)(\s*=\s*)(.*)$/.exec(line) ?? []
  if (name === undefined) return [checkToken(unquote(line), where)]
  if (TOKEN_VARIABLE.test(name)) {
    return /s$/i.test(name) ? parseTokensVariable(value!, where) : [checkToken(unquote(value!), `${where}: token 1`)]
  }
  if (before === undefined && after === '=' && !isVariable(name, value!)) return [checkToken(line, where)]
  throw usageError(
    `${where} sets a variable that is not LOGWEIR_ACCESS_TOKENS, LOGWEIR_TOKEN or TOKEN. Write only the token on its line; put quotes around a token of that form.`,
  )
}

/** Whether `NAME=value` sets a variable; otherwise it is a token, whose equals signs may be the padding of Base32 or Base64. */
function isVariable(name: string, value: string): boolean {
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) return false
  return /^=*$/.test(value) ? name.includes('_') : true
}
