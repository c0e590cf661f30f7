import { KIB } from '../../base/units.js'

/**
 * Headers of every response, errors included: pages of any origin can read the response, and no browser assumes another
 * type than the Content-Type.
 */
export const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Age, Cache-Status, Retry-After, ETag, Server-Timing, Logweir-Warnings, Logweir-View',
  'X-Content-Type-Options': 'nosniff',
} as const

/** The methods of every path, except the paths below. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'
/** The methods of the endpoints. */
export const QUERY_METHODS = 'GET, HEAD, POST, OPTIONS'
/** The methods of paths that accept records, and of the test of a rule. */
export const POST_METHODS = 'POST, OPTIONS'

/** The headers that are allowed if a preflight names no headers. */
const USUAL_HEADERS = 'X-API-KEY, Authorization, Content-Type, Cache-Control, If-None-Match, Last-Event-ID'

/** Comma-separated header names (RFC 9110, 5.6.2). */
const HEADER_NAMES = /^[!#$%&'*+\-.^_`|~\w]+(?:[ \t]*,[ \t]*[!#$%&'*+\-.^_`|~\w]+)*$/
const MAX_NAMES_BYTES = 2 * KIB

/** Allows the headers that a preflight asks for: tracing adds names that no fixed list could contain. */
function allowedHeaders(request: Headers): Readonly<Record<string, string>> {
  const asked = request.get('access-control-request-headers')
  if (asked === null) return { 'Access-Control-Allow-Headers': USUAL_HEADERS }
  const areNames = asked.length <= MAX_NAMES_BYTES && HEADER_NAMES.test(asked)
  return {
    'Access-Control-Allow-Headers': areNames ? asked : USUAL_HEADERS,
    Vary: 'Access-Control-Request-Headers',
  }
}

/** Answers OPTIONS on any path, known or unknown: 204 without a body. */
export function preflight(request: Headers, methods: string): Response {
  const headers = {
    ...COMMON_HEADERS,
    'Access-Control-Allow-Methods': methods,
    ...allowedHeaders(request),
    'Access-Control-Max-Age': '86400',
    Allow: methods,
  }
  return new Response(null, { status: 204, headers })
}
