import { getPath } from 'hono/utils/url'
import { OTLP_PATH } from './otlp.js'

/** The paths that take records. */
export const LOGS_PATHS: readonly string[] = ['/api/logs', '/logs', OTLP_PATH]

const MANY_SLASHES = /\/{2,}/g
const LAST_SLASH = /(?<=.)\/$/

/**
 * The path of a request, for everything that goes by it. Shippers put a base address and a path together in their own ways: a path
 * that takes records has no doubled and no last slash here. Every other path stays as it is.
 */
export function requestPath(request: Request): string {
  const path = getPath(request)
  if (!path.endsWith('/') && !path.includes('//')) return path
  const plain = path.replace(MANY_SLASHES, '/').replace(LAST_SLASH, '')
  return LOGS_PATHS.includes(plain) ? plain : path
}
