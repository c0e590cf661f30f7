import { createDiskFiles, type Files } from '../files/files.js'
import { lockDirectory } from '../lock/lock.js'
import type { LockOptions } from '../lock/options.js'
import { checkFormat } from './format.js'

/** A data directory that this process has locked. */
export interface DataDirectory {
  directory: string
  /** The files below the directory. Changes are refused once the lock is lost. */
  files: Files
  /** Releases the lock. */
  release(): Promise<void>
}

/**
 * Locks an existing directory and checks its format. Throws the errors of {@link lockDirectory} and {@link
 * checkFormat}.
 */
export async function openDataDirectory(directory: string, options: Partial<LockOptions> = {}): Promise<DataDirectory> {
  const lock = await lockDirectory(directory, options)
  const files = lock.fence(createDiskFiles(directory))
  try {
    await checkFormat(files, directory)
  } catch (error) {
    await lock.release()
    throw error
  }
  return { directory, files, release: lock.release }
}
