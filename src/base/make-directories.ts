import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Only their owner may look into them. */
const DIRECTORY_MODE = 0o700

/**
 * Makes a directory and its missing parents; nothing happens if it is there. Rejects with the system's error.
 *
 * Node's own `mkdir` with `recursive` never returns if the system says ENOENT for a parent that exists, as mounts do whose
 * server has gone, and /proc. Here each level is tried at most twice. Calls are asynchronous, so that signals are handled
 * while a mount does not answer.
 */
export async function makeDirectories(path: string): Promise<void> {
  const directory = resolve(path)
  const parent = dirname(directory)
  if ((await make(directory)) || parent === directory) return
  await makeDirectories(parent)
  await mkdir(directory, DIRECTORY_MODE).catch(orDirectory(directory))
}

/** Makes one directory, or finds it there; false if something on the way is missing. */
async function make(path: string): Promise<boolean> {
  try {
    await mkdir(path, DIRECTORY_MODE).catch(orDirectory(path))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
}

/** Read-only file systems say EROFS for a directory that is there already; EEXIST may be a file, or a link to nothing. */
const orDirectory = (path: string) => async (error: NodeJS.ErrnoException) => {
  const found = await stat(path).catch((reason: NodeJS.ErrnoException) => reason)
  if (found instanceof Error) throw error.code === 'EEXIST' ? found : error
  if (!found.isDirectory()) throw notADirectory(path)
}

const notADirectory = (path: string) =>
  Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), { code: 'ENOTDIR', path })
