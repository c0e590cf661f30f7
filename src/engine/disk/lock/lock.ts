import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { cannotLock, inUse } from './errors.js'
import { createFileMarker, FILE_NAME } from './file-marker.js'
import { type DirectoryLock, holdMarker } from './hold.js'
import { LOCK_PARTS, type LockParts } from './parts.js'
import { createSocketMarker, SOCKET_NAME } from './socket-marker.js'
import { type Place, watchLock } from './watch.js'

/**
 * Takes a directory for this process until it is released or the process ends, however it ends: by a socket where the
 * kernel can tell whether its process lives, else by the file `lock.json`. Whoever has the one also looks for the other,
 * since the same directory may be seen by the host and by a virtual machine.
 *
 * Throws `data_dir_in_use` if another process has it, `data_dir_unusable` if neither can be made. A lock that a process
 * may have left behind takes up to 12 s to be taken over.
 */
export async function lockDirectory(directory: string, given: Partial<LockParts> = {}): Promise<DirectoryLock> {
  const parts = { ...LOCK_PARTS, ...given }
  const socket = await socketIn(directory, parts)
  const marker = socket ?? (await createFileMarker(directory, parts))
  const lock = await holdMarker(marker, directory, parts)
  const other: Place =
    socket === undefined
      ? { path: join(directory, SOCKET_NAME), kind: 'socket', directory }
      : { path: join(directory, FILE_NAME), kind: 'file', directory }
  try {
    await removeAbandoned(other, parts)
  } catch (error) {
    await lock.release()
    throw cannotLock(directory, other.path, error)
  }
  return lock
}

async function socketIn(directory: string, parts: LockParts) {
  try {
    return (await parts.areSocketsConclusive(directory)) ? await createSocketMarker(directory, parts) : undefined
  } catch (error) {
    throw cannotLock(directory, directory, error)
  }
}

/** Waits for the other kind of lock: throws `data_dir_in_use` if its process lives, removes it if it does not. */
async function removeAbandoned(place: Place, parts: LockParts): Promise<void> {
  const observed = await watchLock(place, parts)
  if (observed === 'changed') throw inUse(place.directory, `another process (see ${place.path})`)
  if (observed === 'unchanged') await unlink(place.path)
}
