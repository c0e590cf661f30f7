import { below, type Random } from './random.js'

const FIRST = 0x21
const LAST = 0x7e

/**
 * A token as long as `token` whose first `right` characters are right and all others wrong, any of printable ASCII. Made
 * of bytes as one that came over a wire: a text that is put together of others is read by V8 at another speed.
 */
export function wrongToken(token: string, right: number, random: Random): string {
  const bytes = Buffer.from(token, 'latin1')
  for (let i = right; i < bytes.length; i++) {
    const drawn = FIRST + below(random, LAST - FIRST)
    bytes[i] = drawn < bytes[i]! ? drawn : drawn + 1
  }
  return bytes.toString('latin1')
}
