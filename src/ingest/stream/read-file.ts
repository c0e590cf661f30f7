import { readSync } from 'node:fs'
import type { ReadBytes } from '../lines/lines.js'
import type { FileRead, StreamWork } from '../thread/messages.js'

/**
 * Reads the next bytes of a file in pieces into the memory that `fill` provides, until `enoughBytes` are read or the
 * file ends. Returns an error only if nothing was read before: else the next read meets the error again. Throws errors
 * of `fill`.
 */
export function readFile(
  { fd, enoughBytes }: Required<StreamWork>['file'],
  fill: (read: ReadBytes) => number,
  read: (fd: number, into: Uint8Array) => number = readSync,
): FileRead {
  let fault: NodeJS.ErrnoException | undefined
  function readNext(into: Uint8Array): number {
    try {
      return read(fd, into)
    } catch (error) {
      fault = error as NodeJS.ErrnoException
      return 0
    }
  }
  let bytes = 0
  for (let length = -1; length !== 0 && bytes < enoughBytes; bytes += length) length = fill(readNext)
  if (fault === undefined || bytes > 0) return { bytes }
  const { code, message } = fault
  return { fault: { code, message } }
}
