import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Only the owner has access. */
const DIRECTORY_MODE = 0o700

/**
 * Makes a directory and its missing parents. Does nothing if the directory exists. Rejects with the system's error.
 *
 * Node's `mkdir` with `recursive` never returns if the system reports ENOENT for a parent that exists, as /proc and
 * mounts without a server do. Here each level is tried at most twice. Calls are asynchronous, so that signals are
 * handled while a mount does not answer.
 */
export async function makeDirectories(path: string): Promise<void> {
  const directory = resolve(path)
  const parent = dirname(directory)
  if ((await make(directory)) || parent === directory) return
  await makeDirectories(parent)
  await mkdir(directory, DIRECTORY_MODE).catch(orDirectory(directory))
}

/** Makes a directory unless the directory exists. Resolves with false if a parent is missing. */
async function make(path: string): Promise<boolean> {
  try {
    await mkdir(path, DIRECTORY_MODE).catch(orDirectory(path))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
}

/** Read-only file systems report EROFS for an existing directory. EEXIST may be a file, or a link without a target. */
const orDirectory = (path: string) => async (error: NodeJS.ErrnoException) => {
  const found = await stat(path).catch((reason: NodeJS.ErrnoException) => reason)
  if (found instanceof Error) throw error.code === 'EEXIST' ? found : error
  if (!found.isDirectory()) throw notADirectory(path)
}

const notADirectory = (path: string) =>
  Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), { code: 'ENOTDIR', path })
