import { realpathSync, statSync } from 'node:fs'

/**
 * Returns a text that changes when the file does, or undefined if there is no file. The text consists of device, inode,
 * size, times and resolved path. The path is included because two targets of a link can be hard links to one file. If
 * the file cannot be examined, the text is the error's code.
 */
export function fileVersion(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs, realpathSync(path)].join(' ')
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`
  }
}
