import { readSync } from 'node:fs'
import type { ReadBytes } from './lines.js'
import type { FileRead, Work } from './messages.js'

/**
 * Reads the next bytes of a file piece by piece to where `fill` wants them, up to its end or a little over `mostBytes`. A
 * fault is told where nothing was read before it: the next read meets it again.
 */
export function readFile({ fd, mostBytes }: Required<Work>['file'], fill: (read: ReadBytes) => number): FileRead {
  let bytes = 0
  try {
    for (let piece = -1; piece !== 0 && bytes < mostBytes; bytes += piece) piece = fill((into) => readSync(fd, into))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (bytes === 0) return { fault: { code, message } }
  }
  return { bytes }
}
