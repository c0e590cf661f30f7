import { explainFileError } from '../../../base/files/file-errors.js'
import { createDiskFiles } from '../files/files.js'
import { readOnlyFiles } from '../files/read-only.js'
import { refuseHeld } from '../lock/held.js'
import type { LockOptions } from '../lock/options.js'
import { checkFormat, FORMAT_FILE, noDataDirectory } from './format.js'
import type { DataDirectory } from './open.js'

const QUERY_IT = 'Query that service with logweir query --sql, or stop it.'

/**
 * Opens a data directory without a lock, with files that reject every change. Throws `failed` if the directory is not
 * a data directory, `data_dir_in_use` if a service has the directory, `newer_format`, `damaged_format`, and
 * `data_dir_unusable` if the directory cannot be read.
 */
export async function openToRead(directory: string, options: Partial<LockOptions> = {}): Promise<DataDirectory> {
  const files = readOnlyFiles(createDiskFiles(directory))
  try {
    if (!(await files.list('')).includes(FORMAT_FILE)) throw noDataDirectory(directory)
    await refuseInUse(directory, options)
    await checkFormat(files, directory)
  } catch (error) {
    throw explainFileError('data_dir_unusable', `The data directory ${directory} cannot be read`, directory, error)
  }
  return { directory, files, async release() {} }
}

/** Throws `data_dir_in_use` if a service has the directory now. */
export const refuseInUse = (directory: string, options: Partial<LockOptions> = {}): Promise<void> =>
  refuseHeld(directory, QUERY_IT, options)
