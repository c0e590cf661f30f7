import { realpathSync, statSync } from 'node:fs'

/**
 * Returns a text that changes when the file does (device, inode, size, times, path without links), or undefined if there is
 * no file. The path is included because two targets of a link can be hard links to one file.
 */
export function fileVersion(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs, realpathSync(path)].join(' ')
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`
  }
}
