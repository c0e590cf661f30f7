import { below, type Random } from './random.js'

const FIRST = 0x21
const LAST = 0x7e

/**
 * Returns a token as long as `token`, with the first `right` characters right and all others wrong: printable ASCII.
 * The token is made of bytes, like a received token: V8 reads a concatenated string at another speed.
 */
export function wrongToken(token: string, right: number, random: Random): string {
  const bytes = Buffer.from(token, 'latin1')
  for (let i = right; i < bytes.length; i++) {
    const drawn = FIRST + below(random, LAST - FIRST)
    bytes[i] = drawn < bytes[i]! ? drawn : drawn + 1
  }
  return bytes.toString('latin1')
}
