import { hash, timingSafeEqual } from 'node:crypto'

/** Header values are bytes, which Node hands over as Latin-1. */
const digestOfHeader = (value: string) => hash('sha256', Buffer.from(value, 'latin1'), 'buffer')
const digestOfToken = (token: string) => hash('sha256', Buffer.from(token, 'utf8'), 'buffer')

const BEARER = /^bearer +/i

/** The token that a request shows: X-API-KEY, or where that is absent or empty Authorization: Bearer; else empty. */
function shownToken(headers: Headers): string {
  const key = headers.get('x-api-key')
  if (key) return key
  const authorization = headers.get('authorization')
  return authorization !== null && BEARER.test(authorization) ? authorization.replace(BEARER, '') : ''
}

/**
 * Tells whether a request shows one of the tokens. Digests are compared, all of them and each in constant time, so that
 * the time taken tells neither length nor prefix of a token. A header given twice holds no token.
 */
export function createAuth(tokens: readonly string[]): (headers: Headers) => boolean {
  const digests = tokens.filter((token) => token !== '').map(digestOfToken)
  return (headers) => {
    const shown = digestOfHeader(shownToken(headers))
    let known = false
    for (const digest of digests) known = timingSafeEqual(digest, shown) || known
    return known
  }
}
