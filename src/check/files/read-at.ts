import type { ReadableFile } from '../../engine/disk/files/files.js'

/** Reads up to that many bytes at a position. Reads fewer at the end of the file. */
export async function readAt(file: ReadableFile, position: number, bytes: number): Promise<Buffer> {
  const target = Buffer.alloc(Math.max(0, bytes))
  return target.subarray(0, await file.readAt(position, target))
}
