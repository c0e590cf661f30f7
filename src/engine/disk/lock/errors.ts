import { LogweirError } from '../../../base/errors.js'
import { explainFileError } from '../../../base/file-errors.js'

/** Another process has the directory, as far as can be known. */
export function inUse(directory: string, holder: string): LogweirError<'data_dir_in_use'> {
  return new LogweirError(
    'data_dir_in_use',
    `The data directory ${directory} is in use by ${holder}. Stop that one, or give another --data-dir.`,
  )
}

/** The directory was taken over, or its lock was removed, while this process had it. */
export function lockLost(directory: string, path: string): LogweirError<'data_dir_lost'> {
  return new LogweirError(
    'data_dir_lost',
    `${path} was removed or replaced, so another logweir may have the data directory ${directory} now: nothing more is written. ` +
      'Start one logweir for this directory, and leave its lock alone.',
  )
}

/** Something at `path` that no logweir has made. */
export function notALock(directory: string, path: string, kind: string): LogweirError<'data_dir_unusable'> {
  return new LogweirError(
    'data_dir_unusable',
    `The data directory ${directory} cannot be locked: ${path} is there and is no ${kind}. Remove it, or give another --data-dir.`,
  )
}

/** A system error at one of the lock's files. */
export const cannotLock = (directory: string, path: string, error: unknown): Error =>
  explainFileError('data_dir_unusable', `The data directory ${directory} cannot be locked`, path, error)
