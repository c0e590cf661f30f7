import { LogweirError } from '../../base/errors.js'

/** The errors of files of states. */
export type StateFileErrorCode = 'damaged_view_state' | 'newer_format' | 'other_view_state'

/**
 * The error for a file that is damaged or missing. `what` completes the sentence. `cause` is the system's error if the
 * file could not be read.
 */
export function damaged(path: string, what: string, cause?: Error): LogweirError<StateFileErrorCode> {
  const error = new LogweirError<StateFileErrorCode>(
    'damaged_view_state',
    `The file ${path} of a view is damaged: ${what}. Restore it from a backup, or remove it: the view then has the ` +
      'rows of this file only as far as their segments are still there.',
  )
  if (cause !== undefined) error.cause = cause
  return error
}

/** Whether an error says that the bytes of a file of states are damaged. */
export const isDamaged = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === 'damaged_view_state'

/** The error for a file of a format version above `supported`. */
export const newerFormat = (path: string, version: number, supported: number): LogweirError<StateFileErrorCode> =>
  new LogweirError(
    'newer_format',
    `The file ${path} of a view has format ${version}; this version of logweir reads formats up to ${supported}. ` +
      'Use the version that wrote it, or a later one.',
  )

/** The error for a file with other states than the view's aggregates read. */
export const otherStates = (
  path: string,
  found: readonly string[],
  wanted: readonly string[],
): LogweirError<StateFileErrorCode> =>
  new LogweirError(
    'other_view_state',
    `The file ${path} of a view has states of the kinds ${found.join(', ')}; its view reads ${wanted.join(', ')}. ` +
      'Use the version of logweir that wrote it, or remove the file: the view is built again from its segments.',
  )
