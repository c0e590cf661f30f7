import { LogweirError } from './errors.js'

/** Errors about names that no file system takes, however long the caller waits. */
export const NEVER_VALID: ReadonlySet<string> = new Set(['ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

/** What the user can mend at the command line. */
export function usageError(message: string): LogweirError<'usage'> {
  return new LogweirError('usage', message)
}

/** A state that may pass, by itself or by what another does: the same call may work later. */
export function stateError(message: string): LogweirError<'failed'> {
  return new LogweirError('failed', message)
}

/** The error about a path that cannot be used: `usage` if no such path can be valid, else `failed`. */
export function pathError(message: string, { code }: NodeJS.ErrnoException): LogweirError<'usage' | 'failed'> {
  const isWrong = code === undefined || NEVER_VALID.has(code)
  return isWrong ? usageError(message) : stateError(message)
}
