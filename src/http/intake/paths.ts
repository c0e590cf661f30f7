import { getPath } from 'hono/utils/url'
import { OTLP_PATH } from './otlp.js'

/** The paths that accept records. */
export const LOGS_PATHS: readonly string[] = ['/api/logs', '/logs', OTLP_PATH]

/** Whether a path accepts records. */
export const isLogsPath = (path: string) => LOGS_PATHS.includes(path)

const MANY_SLASHES = /\/{2,}/g
const LAST_SLASH = /(?<=.)\/$/

/**
 * Returns the path of a request. Shippers join a base address and a path in different ways: double and trailing slashes
 * are removed if the result is a path that accepts records. Every other path is returned unchanged.
 */
export function requestPath(request: Request): string {
  const path = getPath(request)
  if (!path.endsWith('/') && !path.includes('//')) return path
  const plain = path.replace(MANY_SLASHES, '/').replace(LAST_SLASH, '')
  return isLogsPath(plain) ? plain : path
}
