import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { explainFileError } from '../../base/file-errors.js'

const DIRECTORY_MODE = 0o700

/**
 * Makes a directory and its missing parents, and checks that this process may write there. Throws `data_dir_unusable` with
 * file, user and remedy if that fails.
 *
 * Node's own `mkdir` with `recursive` never returns if the system says ENOENT for a parent that exists, as mounts do whose
 * server has gone, and /proc. Here each level is tried at most twice. Calls are asynchronous, so that signals are handled
 * while a mount does not answer.
 */
export async function makeDataDirectory(path: string): Promise<void> {
  const directory = resolve(path)
  try {
    await makeWithParents(directory)
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw explainFileError('data_dir_unusable', `--data-dir ${path} cannot be written`, directory, error)
  }
}

async function makeWithParents(path: string): Promise<void> {
  const parent = dirname(path)
  if (!(await make(path)) && parent !== path) {
    await makeWithParents(parent)
    await mkdir(path, DIRECTORY_MODE).catch(orDirectory(path))
  }
}

/** Makes one directory, or finds it there; false if its parent is missing. */
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
