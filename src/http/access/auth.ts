import { hash } from 'node:crypto'
import type { Access } from '../../tokens/access.js'

/** Header values are bytes, which Node hands over as Latin-1. */
const digestOfHeader = (value: string) => hash('sha256', Buffer.from(value, 'latin1'), 'buffer')

const BEARER = /^bearer +/i

/** The token that a request shows: X-API-KEY, or where that is absent or empty Authorization: Bearer; else empty. */
function shownToken(headers: Headers): string {
  const key = headers.get('x-api-key')
  if (key) return key
  const authorization = headers.get('authorization')
  return authorization !== null && BEARER.test(authorization) ? authorization.replace(BEARER, '') : ''
}

/**
 * Tells what the token opens that a request shows; undefined where it shows none that is known. Only its digest is looked
 * at, so that the time taken tells neither length nor prefix of a token. A header given twice holds no token.
 */
export function createAuth(
  accessOf: (digest: Uint8Array) => Access | undefined,
): (headers: Headers) => Access | undefined {
  return (headers) => {
    const shown = shownToken(headers)
    return shown === '' ? undefined : accessOf(digestOfHeader(shown))
  }
}
