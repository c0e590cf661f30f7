import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { inUse } from './errors.js'
import { FILE_NAME, holderAt } from './file-marker.js'
import { LOCK_DEFAULTS, type LockOptions } from './options.js'
import { holderIn, nameOf, SOCKET_NAME } from './socket-marker.js'
import { type Place, watchLock } from './watch.js'

/**
 * Throws `data_dir_in_use` if a process has locked the directory, with a `remedy` that ends the message. Changes
 * nothing, and does not lock the directory either. Watching a lock that a dead process may have left takes up to 10 s.
 */
export async function refuseHeld(directory: string, remedy: string, given: Partial<LockOptions> = {}): Promise<void> {
  const options = { ...LOCK_DEFAULTS, ...given }
  const socket: Place = { path: join(directory, SOCKET_NAME), kind: 'socket', directory }
  const file: Place = { path: join(directory, FILE_NAME), kind: 'file', directory }
  if (await exists(socket)) {
    const holder = await holderIn(directory)
    if (typeof holder === 'object') throw inUse(directory, nameOf(holder), remedy)
    const isFree = holder === 'gone' || (holder === 'dead' && (await options.areSocketsConclusive(directory)))
    if (!isFree) await refuseTouched(socket, nameOf(holder), remedy, options)
  }
  if (await exists(file)) await refuseTouched(file, await holderAt(file.path), remedy, options)
}

async function exists({ path, kind }: Place): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return kind === 'socket' ? found?.isSocket() === true : found?.isFile() === true
}

async function refuseTouched(place: Place, holder: string, remedy: string, options: LockOptions): Promise<void> {
  const waitS = (options.timing.looks * options.timing.touchMs) / 1000
  options.log(`${place.path} exists: the directory is in use if it changes within ${waitS} s`, {
    code: 'data_dir_wait',
    path: place.path,
  })
  if ((await watchLock(place, options)) === 'changed') throw inUse(place.directory, holder, remedy)
}
