import { usageError } from '../base/settings.js'

/** Tokens that a person has written. Throws `usage` on one that no header can carry, without telling it. */
export function readTokens(tokens: readonly string[], where: string): readonly string[] {
  tokens.forEach((token, i) => {
    if (token === '') throw usageError(`${where}: token ${i + 1} is empty. Remove it, or write it out.`)
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw usageError(`${where}: token ${i + 1} holds white space or a character beyond ASCII. Choose another.`)
    }
  })
  return tokens
}
