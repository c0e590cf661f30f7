import { userInfo } from 'node:os'
import { LogweirError } from '../errors.js'
import { NEVER_VALID } from '../failures.js'

const DENIED_REMEDY = 'Give it to that user (chown -R UID PATH), or start as the user who owns it'
/** Remedies of system errors. `PATH` is replaced by the file, `UID` by the number of the process's user. */
const REMEDIES: Record<string, string> = {
  EACCES: DENIED_REMEDY,
  EPERM: DENIED_REMEDY,
  EROFS: 'Its file system is mounted read-only: mount it writable, or choose another place',
  ENOTDIR: 'A part of this path is a file: remove that file, or choose another place',
  ENOENT:
    'Something on this path is missing: a mount, or the target of a symbolic link. Add it, or choose another place',
  ELOOP: 'Symbolic links on this path lead in a circle: correct them, or choose another place',
  ENOSPC: 'Its disk is full: free some space, or choose another place',
  EDQUOT: 'The quota of that user is used up: free some space, or raise the quota',
}

const MAKE_REMEDY = 'Make it for that user (mkdir -p PATH && chown -R UID PATH), or choose another place'
const OTHER_REMEDY = 'Check the disk, or choose another place'

/**
 * Converts a system error to a LogweirError that names the file, the user of this process and the remedy.
 * Returns any other error unchanged. `path` is used if the error names no file. The code is `usage` instead of `code`
 * for names that no file system accepts.
 */
export function explainFileError<Code extends string>(code: Code, what: string, path: string, error: unknown): Error {
  const { code: errno, path: named = path, message, syscall } = error as NodeJS.ErrnoException
  if (error instanceof LogweirError || !isSystemError(errno)) return error as Error
  const cause = message.includes(named) ? message : `${message} '${named}'`
  return new LogweirError<Code | 'usage'>(
    NEVER_VALID.has(errno) ? 'usage' : code,
    `${what}: ${cause}. This process runs as ${currentUser()}. ${remedyOf(errno, named, syscall)}.`,
  )
}

const isSystemError = (errno: unknown): errno is string => typeof errno === 'string' && /^E[A-Z0-9]+$/.test(errno)

function remedyOf(errno: string, path: string, syscall: string | undefined): string {
  const isDenied = errno === 'EACCES' || errno === 'EPERM'
  const remedy = isDenied && syscall === 'mkdir' ? MAKE_REMEDY : (REMEDIES[errno] ?? OTHER_REMEDY)
  return remedy.replaceAll('PATH', path).replace('UID', String(process.getuid?.() ?? 'USER'))
}

/** Returns the user of this process as `uid 1000 (node)`, without the name if it is unknown, as often in containers. */
export function currentUser(): string {
  const uid = process.getuid?.()
  const name = userName()
  if (uid === undefined) return name ?? 'an unknown user'
  return name === undefined ? `uid ${uid}` : `uid ${uid} (${name})`
}

function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
