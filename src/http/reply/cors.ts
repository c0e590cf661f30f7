import { KIB } from '../../base/units.js'

/** What every answer bears, errors too, so that a page of any origin can read it. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Age, Cache-Status, Retry-After, ETag, Server-Timing',
} as const

/** The methods of every path but those that take records, for `Allow`. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'
/** Of those. */
export const LOGS_METHODS = 'POST, OPTIONS'

/** The headers that a page may send if its preflight does not name them. */
const USUAL_HEADERS = 'X-API-KEY, Authorization, Content-Type, Cache-Control, If-None-Match, Last-Event-ID'

/** Names of headers (RFC 9110, 5.6.2) between commas. */
const HEADER_NAMES = /^[!#$%&'*+\-.^_`|~\w]+(?:[ \t]*,[ \t]*[!#$%&'*+\-.^_`|~\w]+)*$/
const MAX_NAMES_BYTES = 2 * KIB

/** The headers to allow: those that a preflight asks for, such as those of tracing, which no list could hold. */
function allowedHeaders(request: Headers): Readonly<Record<string, string>> {
  const asked = request.get('access-control-request-headers')
  if (asked === null) return { 'Access-Control-Allow-Headers': USUAL_HEADERS }
  const areNames = asked.length <= MAX_NAMES_BYTES && HEADER_NAMES.test(asked)
  return {
    'Access-Control-Allow-Headers': areNames ? asked : USUAL_HEADERS,
    Vary: 'Access-Control-Request-Headers',
  }
}

/** The answer to OPTIONS on any path, known or unknown: 204, the headers only. */
export function preflight(request: Headers, methods = ALLOWED_METHODS): Response {
  const headers = {
    ...CORS_HEADERS,
    'Access-Control-Allow-Methods': methods,
    ...allowedHeaders(request),
    'Access-Control-Max-Age': '86400',
    Allow: methods,
  }
  return new Response(null, { status: 204, headers })
}
