import { excerptOf } from './caret.js'
import { ServiceError } from './service.js'

/** Adds the place in the SQL to an error of the service that names a place. */
export function withExcerpt(error: unknown, sql: string, columns: number | undefined): unknown {
  if (!(error instanceof ServiceError) || error.reason === undefined) return error
  const { message, status, retryAfterMs, reason } = error
  return new ServiceError(message + excerptOf(reason, sql, columns), { status, retryAfterMs, reason })
}
