import { hash } from 'node:crypto'
import type { Access } from '../../tokens/access.js'
import { digestOf } from '../../tokens/token-registry.js'

/** Header values are bytes, which Node decodes as Latin-1. */
const digestOfHeader = (value: string) => hash('sha256', Buffer.from(value, 'latin1'), 'buffer')

const BEARER = /^bearer +/i

/**
 * Returns the token in X-API-KEY. If X-API-KEY is absent or empty, returns the token in Authorization: Bearer, else ''.
 */
function tokenInHeaders(headers: Headers): string {
  const key = headers.get('x-api-key')
  if (key) return key
  const authorization = headers.get('authorization')
  return authorization !== null && BEARER.test(authorization) ? authorization.replace(BEARER, '') : ''
}

/**
 * Returns the token in `api_key` of a query string, or an empty text if there is no `api_key`, or several. A token has
 * no spaces: a space is a plus sign that the client did not encode.
 */
function tokenInSearch(search: string): string {
  const [key = '', ...others] = new URLSearchParams(search).getAll('api_key')
  return others.length > 0 ? '' : key.replaceAll(' ', '+')
}

/** Whether a request has a token, right or wrong. */
export const hasToken: (...request: Parameters<Authenticate>) => boolean = (headers, search) =>
  tokenInHeaders(headers) !== '' || (search !== undefined && tokenInSearch(search) !== '')

/**
 * Returns the access that the token of a request grants, or undefined if the request has no valid token. The query
 * string is given only if the token may be there. The query string does not count if a header has a token, even a wrong
 * token.
 */
export type Authenticate = (headers: Headers, search?: string) => Access | undefined

/**
 * Looks tokens up by their digest only, so that the time taken reveals neither length nor prefix of a token. A header
 * that is given twice contains no valid token.
 */
export function createAuth(accessOf: (digest: Uint8Array) => Access | undefined): Authenticate {
  return (headers, search) => {
    const token = tokenInHeaders(headers)
    if (token !== '') return accessOf(digestOfHeader(token))
    const key = search === undefined ? '' : tokenInSearch(search)
    return key === '' ? undefined : accessOf(digestOf(key))
  }
}
