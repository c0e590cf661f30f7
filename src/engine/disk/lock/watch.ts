import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { notALock } from './errors.js'
import type { LockParts } from './parts.js'

/** No lock is longer. */
const MAX_BYTES = 1024

/** A lock that may be another's: a Unix socket, or a file. */
export interface Place {
  path: string
  kind: 'socket' | 'file'
  directory: string
}

/** What became of another's lock while a starter looked: removed, touched, or left as it was at every look. */
export type Observed = 'gone' | 'changed' | 'unchanged'

/**
 * Looks at a lock until it changes, `looks` times at most, `touchMs` apart. Looks are counted and not timed, so that
 * neither a clock that jumps nor a machine that sleeps makes a lock older. Rejects if `signal` is aborted, and with the
 * system's error.
 */
export async function watchLock(
  place: Place,
  { timing, wait, signal }: Pick<LockParts, 'timing' | 'wait' | 'signal'>,
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
 * What changes whenever a lock is touched or replaced; undefined if there is none. Of a file also its text: an open file
 * is as new as the server has it, where attributes alone may be cached. The inode is left out, since some FUSE mounts
 * number files again at each look. Throws `data_dir_unusable` if there is something else at the path.
 */
export async function lookAt({ path, kind, directory }: Place): Promise<string | undefined> {
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

/** The text of a lock, or the start of whatever is in its place. */
export async function readStart(file: Awaited<ReturnType<typeof open>>): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead)
}
