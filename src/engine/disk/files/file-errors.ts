import type { Files } from './files.js'

/** Codes of errors of the disk, the mount, or the process: such an error says nothing about the file that was read. */
const OF_ALL_FILES: ReadonlySet<string> = new Set([
  'EAGAIN',
  'EBADF',
  'EBUSY',
  'ECANCELED',
  'EDQUOT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EINTR',
  'EMFILE',
  'ENFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOBUFS',
  'ENODEV',
  'ENOLINK',
  'ENOMEM',
  'ENOSPC',
  'ENOTCONN',
  'EROFS',
  'ESHUTDOWN',
  'ESTALE',
  'ETIMEDOUT',
])

/** Whether an error is an error of the system: `ENOSPC`, `EIO`. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return /^E[A-Z0-9]+$/.test(String((error as NodeJS.ErrnoException).code))
}

/**
 * Whether an error of reading the file at `path` is a fault of this file alone: a bad sector, missing rights, a folder
 * or a named pipe in its place. False if the error is of the disk or the process, such as `ENOSPC` or `EMFILE`, or if
 * the first folder of the path cannot be listed either.
 */
export async function isOfOneFile(files: Pick<Files, 'list'>, path: string, error: unknown): Promise<boolean> {
  if (!isSystemError(error) || OF_ALL_FILES.has(error.code!)) return false
  const [folder] = path.split('/') as [string]
  return files.list(folder).then(
    () => true,
    () => false,
  )
}
