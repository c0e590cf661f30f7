import { checkedBytes, decodeEnd, endBytes, type FileEnd } from '../../../arrow-ipc/file.js'
import { KIB } from '../../../base/units.js'
import { isOfOneFile } from '../../disk/files/file-errors.js'
import type { Files, ReadableFile } from '../../disk/files/files.js'
import { readTwice } from '../../disk/files/read-twice.js'
import { isDamage } from '../../execute/columns/damage.js'
import { damaged } from './damage.js'

const LAST_BYTES = 16 * KIB

/** Opens a file. Rejects with `damaged_segment` if the file does not exist. */
export async function openFile(files: Files, path: string): Promise<ReadableFile> {
  return files.openToRead(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? damaged(path, 'it does not exist') : error
  })
}

/**
 * Opens a file for `read`, and closes the file when `read` has settled. Tries twice, see {@link readTwice}. Rejects
 * with `damaged_segment`, and with the system's error if the error concerns more than this file.
 */
export function withFile<T>(files: Files, path: string, read: (file: ReadableFile) => Promise<T>): Promise<T> {
  return readTwice(() => withOpenFile(files, path, read), {
    asDamage: (error) => asDamage(files, path, error),
    isDamage,
  })
}

async function withOpenFile<T>(files: Files, path: string, read: (file: ReadableFile) => Promise<T>): Promise<T> {
  const file = await openFile(files, path)
  return read(file).finally(() => file.close())
}

/**
 * Returns the error `damaged_segment` for an error of the system that concerns this file alone. Returns any other error
 * unchanged.
 */
export async function asDamage(files: Files, path: string, error: unknown): Promise<unknown> {
  if (!(await isOfOneFile(files, path, error))) return error
  return damaged(path, `it cannot be read (${(error as Error).message})`, error as Error)
}

/** Reads that many bytes at `position`. Rejects with `damaged_segment` if the file ends before. */
export function readBytes(file: ReadableFile, path: string, position: number, bytes: number): Promise<Buffer> {
  return readInto(file, path, position, Buffer.allocUnsafeSlow(bytes))
}

/** Fills and returns `target`. Rejects with `damaged_segment` if the file ends before. */
export async function readInto(file: ReadableFile, path: string, position: number, target: Buffer): Promise<Buffer> {
  const filled = await file.readAt(position, target)
  const missing = target.length - filled
  if (missing > 0) throw damaged(path, `it ends after ${position + filled} bytes, ${missing} too early`)
  return target
}

/** Reads the last bytes of a file, which hold most ends: all of a small file. */
export function readLast(file: ReadableFile, path: string): Promise<Buffer> {
  const bytes = Math.min(file.bytes, LAST_BYTES)
  return readBytes(file, path, file.bytes - bytes, bytes)
}

/**
 * Returns the end of an Arrow file that logweir wrote, and the offset of the end in the file. Reads nothing if `last`,
 * the last bytes of the file, contains the end. Rejects with `damaged_segment`.
 */
export async function readEnd(
  file: ReadableFile,
  path: string,
  last?: Buffer,
): Promise<FileEnd & { at: number; bytes: Buffer }> {
  const readEnding = (bytes: number) => readBytes(file, path, file.bytes - bytes, bytes)
  const ending = (last: Buffer, length: number | undefined) => {
    if (length === undefined || length > file.bytes) throw damaged(path, 'it does not end like an Arrow file')
    return length <= last.length ? last.subarray(-length) : readEnding(length)
  }
  last ??= await readLast(file, path)
  const checked = await ending(last, checkedBytes(last))
  const bytes = await ending(last, endBytes(checked))
  const end = decodeEnd(bytes)
  if (end === undefined) throw damaged(path, 'its end does not match the checksum in it')
  return { ...end, at: file.bytes - bytes.length, bytes }
}
