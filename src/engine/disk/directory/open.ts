import { createDiskFiles, type Files } from '../files/files.js'
import { lockDirectory } from '../lock/lock.js'
import type { LockParts } from '../lock/parts.js'
import { checkFormat } from './format.js'

/** A data directory that is this process's alone. */
export interface DataDirectory {
  directory: string
  files: Files
  /** Gives the directory back. */
  release(): Promise<void>
}

/** Takes a directory that is there. Throws what {@link lockDirectory} and {@link checkFormat} throw. */
export async function openDataDirectory(directory: string, parts: Partial<LockParts> = {}): Promise<DataDirectory> {
  const lock = await lockDirectory(directory, parts)
  const files = lock.fence(createDiskFiles(directory))
  try {
    await checkFormat(files, directory)
  } catch (error) {
    await lock.release()
    throw error
  }
  return { directory, files, release: lock.release }
}
