import { LogweirError } from '../../../base/errors.js'
import { explainFileError } from '../../../base/files/file-errors.js'

const OTHER_DIRECTORY = 'Stop that one, or give another --data-dir.'

/** The error for a directory that another process has locked, as far as can be known. `remedy` ends the message. */
export function inUse(
  directory: string,
  holder: string,
  remedy: string = OTHER_DIRECTORY,
): LogweirError<'data_dir_in_use'> {
  return new LogweirError('data_dir_in_use', `The data directory ${directory} is in use by ${holder}. ${remedy}`)
}

/** The error for a lock of this process that was removed or taken over. */
export function lockLost(directory: string, path: string): LogweirError<'data_dir_lost'> {
  return new LogweirError(
    'data_dir_lost',
    `${path} was removed or replaced, so another logweir may have the data directory ${directory} now: ` +
      'nothing more is written. Start one logweir for this directory, and leave its lock alone.',
  )
}

/** The error for a file at the path of the lock that logweir did not create. */
export function notALock(directory: string, path: string, kind: string): LogweirError<'data_dir_unusable'> {
  return new LogweirError(
    'data_dir_unusable',
    `The data directory ${directory} cannot be locked: ${path} exists and is no ${kind}. ` +
      'Remove it, or give another --data-dir.',
  )
}

/** The error for a system error at a file of the lock. */
export const cannotLock = (directory: string, path: string, error: unknown): Error =>
  explainFileError('data_dir_unusable', `The data directory ${directory} cannot be locked`, path, error)
