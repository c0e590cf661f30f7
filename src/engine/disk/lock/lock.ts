import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { cannotLock, inUse } from './errors.js'
import { createFileMarker, FILE_NAME } from './file-marker.js'
import { type DirectoryLock, holdMarker } from './hold.js'
import { LOCK_DEFAULTS, type LockOptions } from './options.js'
import { createSocketMarker, SOCKET_NAME } from './socket-marker.js'
import { type Place, watchLock } from './watch.js'

/**
 * Locks a directory for this process until the release or any end of the process: with a socket if the kernel knows
 * whether the process of a socket lives, else with the file `lock.json`. Also checks for a lock of the other kind,
 * since the host and a virtual machine may share the directory.
 *
 * Throws `data_dir_in_use` if another process has the lock, `data_dir_unusable` if neither kind of lock can be
 * created. Taking over a lock that a dead process may have left takes up to 12 s.
 */
export async function lockDirectory(directory: string, given: Partial<LockOptions> = {}): Promise<DirectoryLock> {
  const options = { ...LOCK_DEFAULTS, ...given }
  const socket = await socketIn(directory, options)
  const marker = socket ?? (await createFileMarker(directory, options))
  const lock = await holdMarker(marker, directory, options)
  const other: Place =
    socket === undefined
      ? { path: join(directory, SOCKET_NAME), kind: 'socket', directory }
      : { path: join(directory, FILE_NAME), kind: 'file', directory }
  try {
    await removeAbandoned(other, options)
  } catch (error) {
    await lock.release()
    throw cannotLock(directory, other.path, error)
  }
  return lock
}

async function socketIn(directory: string, options: LockOptions) {
  try {
    return (await options.areSocketsConclusive(directory)) ? await createSocketMarker(directory, options) : undefined
  } catch (error) {
    throw cannotLock(directory, directory, error)
  }
}

/** Waits for the other kind of lock: throws `data_dir_in_use` if its process lives, else deletes the lock. */
async function removeAbandoned(place: Place, options: LockOptions): Promise<void> {
  const observed = await watchLock(place, options)
  if (observed === 'changed') throw inUse(place.directory, `another process (see ${place.path})`)
  if (observed === 'unchanged') await unlink(place.path)
}
