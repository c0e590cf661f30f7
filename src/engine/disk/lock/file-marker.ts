import { randomUUID } from 'node:crypto'
import { constants, readFileSync, unlinkSync } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { cannotLock, inUse } from './errors.js'
import type { Marker } from './marker.js'
import type { LockOptions } from './options.js'
import { type Place, readStart, watchLock } from './watch.js'

/** The name of the lock file in the directory. */
export const FILE_NAME = 'lock.json'
const FILE_MODE = 0o600
/** Attempts if the file vanishes between two calls. */
const MAX_TRIES = 5
/** Error codes that mean that the file does not exist, or is not a regular file any more. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO'])

/**
 * Locks a directory with the file `lock.json`, for mounts without Unix sockets. The file contains a random id. Process
 * ids prove nothing, since in containers every process is 1. An existing file is taken over if unchanged during
 * `looks` checks: a rename replaces the file, and the file is read back later, so that of two starting processes one
 * finds the other's id. Throws `data_dir_in_use`, or `data_dir_unusable` if the file cannot be written.
 */
export async function createFileMarker(directory: string, options: LockOptions): Promise<Marker> {
  const marker = fileMarker(join(directory, FILE_NAME))
  try {
    await take(marker, directory, options)
  } catch (error) {
    await marker.remove().catch(() => {})
    throw cannotLock(directory, marker.path, error)
  }
  return marker
}

interface FileMarker extends Marker {
  id: string
  text: string
}

function fileMarker(path: string): FileMarker {
  const id = randomUUID()
  const isOurs = () => idIn(readFileSync(path, 'utf8')) === id
  return {
    path,
    id,
    text: `${JSON.stringify({ id, host: hostname() })}\n`,
    touch: () => touch(path, id),
    async remove() {
      if (await touch(path, id)) await unlink(path)
    },
    removeAtExit() {
      try {
        if (isOurs()) unlinkSync(path)
      } catch {
        // The file stays. The next start waits until the file counts as abandoned.
      }
    },
  }
}

async function take(marker: FileMarker, directory: string, options: LockOptions): Promise<void> {
  const { path } = marker
  const place: Place = { path, kind: 'file', directory }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await create(path, marker.text)) return
    options.log(`${path} exists already: it is taken over if it does not change for ${abandonedS(options)} s`, {
      code: 'data_dir_wait',
      path,
    })
    const observed = await watchLock(place, options)
    if (observed === 'changed') throw inUse(directory, await holderAt(path))
    if (observed === 'unchanged') return takeOver(marker, directory, options)
  }
  throw inUse(directory, await holderAt(path))
}

const abandonedS = ({ timing }: LockOptions) => (timing.looks * timing.touchMs) / 1000

/** Creates the file. Returns false if the file exists. If the write fails, the file is deleted again. */
async function create(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx', FILE_MODE).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined
    throw error
  })
  if (file === undefined) return false
  try {
    await file.writeFile(text)
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
  return true
}

async function takeOver(
  { path, id, text }: FileMarker,
  directory: string,
  { wait, timing, signal }: LockOptions,
): Promise<void> {
  const prepared = `${path}.${id}`
  await create(prepared, text)
  try {
    await rename(prepared, path)
  } finally {
    await unlink(prepared).catch(() => {})
  }
  await wait(timing.readBackMs, signal)
  if ((await readId(path)) !== id) throw inUse(directory, await holderAt(path))
}

async function touch(path: string, id: string): Promise<boolean> {
  const file = await openLock(path, constants.O_RDWR)
  if (file === undefined) return false
  try {
    if (idIn(await readStart(file)) !== id) return false
    const now = new Date()
    await file.utimes(now, now)
    return true
  } finally {
    await file.close()
  }
}

function openLock(path: string, access: number) {
  const flags = access | constants.O_NOFOLLOW | constants.O_NONBLOCK
  return open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (GONE.has(error.code!)) return undefined
    throw error
  })
}

async function readText(path: string): Promise<string> {
  const file = await openLock(path, constants.O_RDONLY)
  return file === undefined ? '' : readStart(file).finally(() => file.close())
}

const readId = async (path: string) => idIn(await readText(path))

const idIn = (text: string): unknown => parse(text).id

/** Returns neither id nor host for a text that is not a lock's. */
function parse(text: string): { id?: unknown; host?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Returns a description of the process that wrote a lock file, for messages. */
export async function holderAt(path: string): Promise<string> {
  const { host } = parse(await readText(path))
  return typeof host === 'string' ? `a process on host ${host} (see ${path})` : `another process (see ${path})`
}
