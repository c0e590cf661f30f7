import { statSync } from 'node:fs'

/** What changes with a file, whoever changes it and however; undefined where there is none. */
export function stampOf(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`
  }
}
