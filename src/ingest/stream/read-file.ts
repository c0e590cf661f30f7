import { readSync } from 'node:fs'
import type { ReadBytes } from '../lines/lines.js'
import type { FileRead, StreamWork } from '../thread/messages.js'

/**
 * Reads the next bytes of a file piece by piece to where `fill` wants them, until `enoughBytes` are read or it ends. A
 * fault is told where nothing was read before it: the next read meets it again. What `fill` itself throws is thrown.
 */
export function readFile(
  { fd, enoughBytes }: Required<StreamWork>['file'],
  fill: (read: ReadBytes) => number,
  read: (fd: number, into: Uint8Array) => number = readSync,
): FileRead {
  let fault: NodeJS.ErrnoException | undefined
  function readPiece(into: Uint8Array): number {
    try {
      return read(fd, into)
    } catch (error) {
      fault = error as NodeJS.ErrnoException
      return 0
    }
  }
  let bytes = 0
  for (let piece = -1; piece !== 0 && bytes < enoughBytes; bytes += piece) piece = fill(readPiece)
  if (fault === undefined || bytes > 0) return { bytes }
  const { code, message } = fault
  return { fault: { code, message } }
}
