import { hash } from 'node:crypto'
import type { Access } from '../../tokens/access.js'

/** Header values are bytes, which Node decodes as Latin-1. */
const digestOfHeader = (value: string) => hash('sha256', Buffer.from(value, 'latin1'), 'buffer')

const BEARER = /^bearer +/i

/** Returns the token in X-API-KEY; if that is absent or empty, the one in Authorization: Bearer; else an empty text. */
function tokenOf(headers: Headers): string {
  const key = headers.get('x-api-key')
  if (key) return key
  const authorization = headers.get('authorization')
  return authorization !== null && BEARER.test(authorization) ? authorization.replace(BEARER, '') : ''
}

/** Returns the access that the token of a request grants; undefined if it has no valid token. */
export type Authenticate = (headers: Headers) => Access | undefined

/**
 * Looks tokens up by their digest only, so that the time taken reveals neither length nor prefix of a token. A header
 * that is given twice contains no valid token.
 */
export function createAuth(accessOf: (digest: Uint8Array) => Access | undefined): Authenticate {
  return (headers) => {
    const token = tokenOf(headers)
    return token === '' ? undefined : accessOf(digestOfHeader(token))
  }
}
