import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { notALock } from './errors.js'
import type { LockOptions } from './options.js'

/** The most that is read of a lock. */
const MAX_BYTES = 1024

/** The place of a lock that may be another process's: a Unix socket, or a file. */
export interface Place {
  path: string
  kind: 'socket' | 'file'
  directory: string
}

/** The result of watching a lock: the lock was removed, or touched, or the same at every check. */
export type Observed = 'gone' | 'changed' | 'unchanged'

/**
 * Checks a lock until the lock changes, at most `looks` times, every `touchMs`. Checks are counted and not timed, so
 * that neither a clock that jumps nor a machine that sleeps makes a lock look older. Rejects if `signal` is aborted,
 * and with the system's error.
 */
export async function watchLock(
  place: Place,
  { timing, wait, signal }: Pick<LockOptions, 'timing' | 'wait' | 'signal'>,
): Promise<Observed> {
  const first = await lookAt(place)
  for (let look = 0; look < timing.looks && first !== undefined; look++) {
    await wait(timing.touchMs, signal)
    const now = await lookAt(place)
    if (now === undefined) return 'gone'
    if (now !== first) return 'changed'
  }
  return first === undefined ? 'gone' : 'unchanged'
}

/**
 * Returns a value that changes when the lock is touched or replaced. Undefined if the lock does not exist. The value
 * of a file includes the text: opening a file fetches its state from a server, while attributes alone may be cached.
 * The value does not include the inode, since some FUSE mounts number files differently at each call. Throws
 * `data_dir_unusable` if another kind of file is there.
 */
async function lookAt({ path, kind, directory }: Place): Promise<string | undefined> {
  try {
    const found = await lstat(path, { bigint: true })
    if (kind === 'socket' ? !found.isSocket() : !found.isFile()) throw notALock(directory, path, kind)
    return kind === 'socket' ? String(found.mtimeNs) : await lookInto(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function lookInto(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const text = await readStart(file)
    const { mtimeNs } = await file.stat({ bigint: true })
    return `${mtimeNs} ${text}`
  } finally {
    await file.close()
  }
}

/** Returns the text of a lock: at most the first 1024 bytes of the file. */
export async function readStart(file: Awaited<ReturnType<typeof open>>): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead)
}
