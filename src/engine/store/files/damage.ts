import { LogweirError } from '../../../base/errors.js'

/** The errors of segment files. */
export type SegmentFileErrorCode = 'damaged_segment' | 'newer_format'

/**
 * The error for a file that is damaged or missing. `what` completes the sentence. `cause` is the system's error if the
 * file could not be read.
 */
export function damaged(path: string, what: string, cause?: Error): LogweirError<SegmentFileErrorCode> {
  const error = new LogweirError<SegmentFileErrorCode>(
    'damaged_segment',
    `The segment file ${path} is damaged: ${what}. ` +
      'Restore it from a backup, or remove its directory to continue without its rows.',
  )
  if (cause !== undefined) error.cause = cause
  return error
}

/** The error for a file of a format version above `supported`. */
export const newerFormat = (path: string, version: number, supported: number) =>
  new LogweirError<SegmentFileErrorCode>(
    'newer_format',
    `The segment file ${path} has format ${version}; this version of logweir reads formats up to ${supported}. ` +
      'Use the version that wrote it, or a later one.',
  )

/** Returns the description of the damage in a {@link damaged} error, without the path and the remedy. */
export const faultIn = ({ message }: Error): string =>
  /^The segment file .*? is damaged: (.*)\. Restore it from a backup, or remove/s.exec(message)?.[1] ?? message
