import { MAX_URL_CHARACTERS } from '../../common/limits.js'

const ENDPOINT = /^\/?api\/endpoints\/query\/[^?]*\?/

/**
 * Returns the path, options and headers of a request. If the parameters of an endpoint are too long for a URL, the
 * request is a POST with the parameters in the body.
 */
export function requestTo(path: string): { path: string; init: RequestInit; headers: Record<string, string> } {
  if (path.length <= MAX_URL_CHARACTERS || !ENDPOINT.test(path)) return { path, init: {}, headers: {} }
  const mark = path.indexOf('?')
  return {
    path: path.slice(0, mark),
    init: { method: 'POST', body: path.slice(mark + 1) },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }
}
