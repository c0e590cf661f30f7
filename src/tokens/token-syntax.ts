import { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'

/** Parses plain tokens, as written by people, editors and secret managers. No error message contains a token. */

/** Returns the token. Throws `usage` if the token cannot be sent in a header. `where` begins the message. */
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

/**
 * Returns the text without surrounding white space. Removes a pair of quotes if no quote of that kind is in between.
 */
export function unquote(text: string): string {
  const [, , inner] = /^(['"])((?:(?!\1).)*)\1$/s.exec(text.trim()) ?? []
  return (inner ?? text).trim()
}

/**
 * Parses the tokens of a variable, separated by commas or line breaks with optional white space. Quotes around the
 * whole text or around each token are removed. Throws `usage` if a token is empty or invalid.
 */
export function parseTokensVariable(text: string, where: string): string[] {
  const parts = unquote(text).split(/\s*,\s*|\s*[\r\n]\s*/)
  return parts.map((part, i) => checkToken(unquote(part), `${where}: token ${i + 1}`))
}

/**
 * Parses the tokens of a file: a token per line, in quotes or not, with comments after `#`. A line may also be
 * `NAME=value`, as in a file of environment variables, if the name is the name of a token variable. Throws `usage` for
 * any other line, `tokens_unavailable` if there is no token.
 */
export function parsePlainTokens(text: string, path: string): string[] {
  const lines = text.split(/\r\n|[\r\n]/).map(withoutComment)
  const tokens = lines.flatMap((line, i) => (line === '' ? [] : readLine(line, `${path}: line ${i + 1}`)))
  // Another program may not have written the file yet, so this error is temporary.
  if (tokens.length > 0) return tokens
  throw new LogweirError('tokens_unavailable', `${path}: holds no token. Write one on a line of its own.`)
}

/** Removes a comment. A comment after an unclosed quote is kept, so that the line is refused instead of cut. */
function withoutComment(line: string): string {
  const bare = line.trim()
  if (bare.startsWith('#')) return ''
  const [, quoted] = /^((['"])(?:(?!\2).)*\2)\s+#/.exec(bare) ?? []
  if (quoted !== undefined) return quoted
  return /^['"]/.test(bare) ? bare : bare.replace(/\s+#.*$/, '')
}

/** The names of variables with tokens: `TOKEN`, `LOGWEIR_TOKEN`, `LOGWEIR_ACCESS_TOKENS`, and others of this form. */
const TOKEN_VARIABLE = /^(?:LOGWEIR_)?(?:ACCESS_)?TOKENS?$/i

function readLine(line: string, where: string): string[] {
  const [, before, name, after, value] = /^(export\s+)?([A-Za-z_]\w*)(\s*=\s*)(.*)$/.exec(line) ?? []
  if (name === undefined) return [checkToken(unquote(line), where)]
  if (TOKEN_VARIABLE.test(name)) {
    return /s$/i.test(name) ? parseTokensVariable(value!, where) : [checkToken(unquote(value!), `${where}: token 1`)]
  }
  if (before === undefined && after === '=' && !isVariable(name, value!)) return [checkToken(line, where)]
  throw usageError(
    `${where} sets a variable that is not LOGWEIR_ACCESS_TOKENS, LOGWEIR_TOKEN or TOKEN. ` +
      'Write only the token on its line; put quotes around a token of that form.',
  )
}

/**
 * Whether `NAME=value` sets a variable. Otherwise the text is a token with equals signs, such as the padding of Base64.
 */
function isVariable(name: string, value: string): boolean {
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) return false
  return /^=*$/.test(value) ? name.includes('_') : true
}
