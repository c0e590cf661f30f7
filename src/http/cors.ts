/** What every answer bears, errors too, so that a page of any origin can read it. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Age, Cache-Status, Retry-After, ETag, Server-Timing',
} as const

/** The methods of every path but those that take records, for `Allow`. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'
/** Of those. */
export const LOGS_METHODS = 'POST, OPTIONS'

const preflightHeaders = (methods: string) => ({
  ...CORS_HEADERS,
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': 'X-API-KEY, Authorization, Content-Type, Cache-Control, If-None-Match, Last-Event-ID',
  'Access-Control-Max-Age': '86400',
  Allow: methods,
})

/** The answer to OPTIONS on any path, known or unknown: 204, the headers only. */
export function preflight(methods = ALLOWED_METHODS): Response {
  return new Response(null, { status: 204, headers: preflightHeaders(methods) })
}
