import { LogweirError } from './errors.js'

/** Error codes for names that no file system accepts, so that a retry cannot succeed. */
export const NEVER_VALID: ReadonlySet<string> = new Set(['ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

/** Returns an error that the user can correct at the command line: code `usage`. */
export function usageError(message: string): LogweirError<'usage'> {
  return new LogweirError('usage', message)
}

/** Returns an error about a temporary state, code `failed`: the same call may succeed later. */
export function stateError(message: string): LogweirError<'failed'> {
  return new LogweirError('failed', message)
}

/** Returns the error about a path that cannot be used: code `usage` if no such path can be valid, else `failed`. */
export function pathError(message: string, { code }: NodeJS.ErrnoException): LogweirError<'usage' | 'failed'> {
  const isWrong = code === undefined || NEVER_VALID.has(code)
  return isWrong ? usageError(message) : stateError(message)
}
