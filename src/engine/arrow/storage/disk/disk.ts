import { createDiskFiles, type Files } from '../../../disk/files.js'
import { lockDirectory } from '../../../disk/lock.js'
import { checkFormat } from './format.js'

/** A data directory that is this process's alone. */
export interface Disk {
  directory: string
  files: Files
  /** Gives the directory back. */
  release(): Promise<void>
}

/** Takes a directory that is there. Throws what {@link lockDirectory} and {@link checkFormat} throw. */
export async function openDisk(directory: string): Promise<Disk> {
  const release = await lockDirectory(directory)
  const files = createDiskFiles(directory)
  try {
    await checkFormat(files, directory)
  } catch (error) {
    await release()
    throw error
  }
  return { directory, files, release }
}
