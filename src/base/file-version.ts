import { realpathSync, statSync } from 'node:fs'

/**
 * What changes with a file, whoever changes it and however; undefined if there is none. Contains the path without links,
 * because two targets of a link can be hard links to one file.
 */
export function stampOf(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs, realpathSync(path)].join(' ')
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`
  }
}
