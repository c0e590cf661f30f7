import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import { explainFileError } from '../../../base/files/file-errors.js'
import { makeDirectories } from '../../../base/files/make-directories.js'

/**
 * Creates a directory and its missing parents, and checks that this process may write there. Throws
 * `data_dir_unusable`, with file, user and remedy, if that fails.
 */
export async function makeDataDirectory(path: string): Promise<void> {
  const directory = resolve(path)
  try {
    await makeDirectories(directory)
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw explainFileError('data_dir_unusable', `--data-dir ${path} cannot be written`, directory, error)
  }
}
