import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectories } from '../../../base/files/make-directories.js'

/**
 * The part of a file system that storage needs, below a directory. Paths are relative to that directory, with `/`
 * between names. Every call rejects with the system's error (`ENOSPC`, `EIO`). Writes survive the death of the
 * process. Only writes synced by `syncDirectory` or `WritableFile.sync` survive a power cut. Tests pass file systems
 * that fail and lose writes.
 */
export interface Files {
  /** Returns the names in a directory, in no order. Empty if `directory` does not exist or is a file. */
  list(directory: string): Promise<string[]>
  /** Returns the bytes of a file, or of all files below a directory. A file that cannot be examined counts as 0. */
  bytesBelow(path: string): Promise<number>
  /** Creates a directory and its missing parents. */
  makeDirectory(path: string): Promise<void>
  /** Opens a regular file. Rejects for anything else, such as a directory or a named pipe. */
  openToRead(path: string): Promise<ReadableFile>
  /** Opens a file for writing. Creates a missing file, and keeps the content of an existing file. */
  openToWrite(path: string): Promise<WritableFile>
  /** Renames a file or directory. The new name must not exist, except that a file may replace a file. */
  rename(from: string, to: string): Promise<void>
  /** Deletes a file, or a directory with its content. Does nothing if `path` does not exist. */
  remove(path: string): Promise<void>
  /** Makes the creations, renames and deletions in a directory survive a power cut. */
  syncDirectory(path: string): Promise<void>
}

/** A file that is open for reading. */
export interface ReadableFile {
  /** Size of the file at the time of opening. */
  readonly bytes: number
  /** Reads bytes at `position` to `target`, until that is full or the file ends. Returns the number of bytes. */
  readAt(position: number, target: Uint8Array): Promise<number>
  close(): Promise<void>
}

/** A file that is open for writing. */
export interface WritableFile {
  /** Writes all pieces in order from `position` on. After an error any part of the pieces may be written. */
  writeAt(position: number, pieces: readonly Uint8Array[]): Promise<void>
  truncate(bytes: number): Promise<void>
  /** Makes all writes survive a power cut. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Writes a whole file, or replaces its content. The file survives a power cut once its directory is synced. */
export async function writeFile(files: Files, path: string, pieces: readonly Uint8Array[]): Promise<void> {
  const file = await files.openToWrite(path)
  try {
    await file.truncate(0)
    await file.writeAt(0, pieces)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Only the owner may read the files. */
const FILE_MODE = 0o600

/** Returns the real file system below `root`. */
export function createDiskFiles(root: string): Files {
  const at = (path: string) => join(root, path)
  return {
    async list(directory) {
      return readdir(at(directory)).catch(orNothing)
    },
    bytesBelow: (path) => bytesBelow(at(path)),
    makeDirectory: (path) => makeDirectories(at(path)),
    openToRead: (path) => openToRead(at(path)),
    openToWrite: (path) => openToWrite(at(path)),
    rename: (from, to) => rename(at(from), at(to)),
    remove: (path) => rm(at(path), { recursive: true, force: true }),
    async syncDirectory(path) {
      const directory = await open(at(path), constants.O_RDONLY | constants.O_DIRECTORY)
      await directory.sync().finally(() => directory.close())
    },
  }
}

async function bytesBelow(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) return found.size
  if (!found?.isDirectory()) return 0
  const names = await readdir(path).catch(() => [])
  const sizes = await Promise.all(names.map((name) => bytesBelow(join(path, name))))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** Without O_NONBLOCK the call would wait until something writes to a named pipe. Windows has no such flag. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

async function openToRead(path: string): Promise<ReadableFile> {
  const file = await open(path, READ_FLAGS)
  const found = await file.stat().catch(closing(file, path))
  if (!found.isFile()) return closing(file, path)(notAFile(found.isDirectory()))
  return {
    bytes: found.size,
    readAt: (position, target) => readAt(file, position, target).catch(named(path)),
    close: () => file.close(),
  }
}

async function readAt(file: FileHandle, position: number, target: Uint8Array): Promise<number> {
  let filled = 0
  while (filled < target.length) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

const notAFile = (isDirectory: boolean): NodeJS.ErrnoException =>
  isDirectory
    ? Object.assign(new Error('EISDIR: a directory is in the place of a file, read'), { code: 'EISDIR' })
    : Object.assign(new Error('EINVAL: not a regular file, read'), { code: 'EINVAL' })

/** Returns a handler that closes the file and throws the error. */
const closing = (file: FileHandle, path: string) => async (error: NodeJS.ErrnoException) => {
  await file.close()
  return named(path)(error)
}

/** Returns a handler that adds the path to an error and throws the error: Node's errors of reads have no path. */
const named = (path: string) => (error: NodeJS.ErrnoException) => {
  throw error.path === undefined ? Object.assign(error, { path, message: `${error.message} '${path}'` }) : error
}

async function openToWrite(path: string): Promise<WritableFile> {
  // None of Node's flag strings creates a missing file and keeps the content of an existing file.
  const file = await open(path, constants.O_CREAT | constants.O_WRONLY, FILE_MODE)
  return {
    async writeAt(position, pieces) {
      let at = position
      for (const piece of pieces) {
        for (let written = 0; written < piece.length; ) {
          const { bytesWritten } = await file.write(piece, written, piece.length - written, at)
          written += bytesWritten
          at += bytesWritten
        }
      }
    },
    truncate: (bytes) => file.truncate(bytes),
    sync: () => file.datasync(),
    close: () => file.close(),
  }
}

function orNothing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
  throw error
}
