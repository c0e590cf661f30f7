import { explainFileError } from '../base/files/file-errors.js'
import type { Log } from '../base/log.js'
import { openDataDirectory } from '../engine/disk/directory/open.js'
import { openToRead } from '../engine/disk/directory/open-to-read.js'
import { dropStored } from '../views/catalog/stored-views.js'
import type { DropConfig } from './views-config.js'

/**
 * Deletes the groups of a view, or of an old version, in the data directory of a stopped service. Rejects with `failed`
 * if there is no such view, and the errors of {@link openToRead} and {@link openDataDirectory}.
 */
export async function runDrop({ name, dataDir }: DropConfig, log: Log): Promise<void> {
  // Opened to be read first: a directory that is no data directory would become one.
  await openToRead(dataDir, { log })
  try {
    const { files, release } = await openDataDirectory(dataDir, { log })
    await dropStored(files, name).finally(release)
  } catch (error) {
    throw explainFileError('data_dir_unusable', `The view ${name} in ${dataDir} cannot be deleted`, dataDir, error)
  }
}
