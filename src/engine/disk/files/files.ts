import { constants } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectories } from '../../../base/make-directories.js'

/**
 * The file system below one directory, as far as storage needs it: paths are relative to that directory, parts divided by
 * `/`. Every call rejects with the system's own error (`ENOSPC`, `EIO`). What a power cut leaves is promised by the two
 * kinds of `sync` alone; a process that dies leaves all that was written. Tests bring file systems that fail and forget.
 */
export interface Files {
  /** The names in a directory, in no order; none where there is no such directory, or a file in its place. */
  list(directory: string): Promise<string[]>
  /** Makes a directory, and those that it lies in. */
  makeDirectory(path: string): Promise<void>
  openToRead(path: string): Promise<ReadableFile>
  /** Opens for writing; the file is made where there is none, and keeps what is in it where there is one. */
  openToWrite(path: string): Promise<WritableFile>
  /** Moves a file or a directory to a name that is free; a file may take the place of another. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a directory with all that is in it; nothing happens where there is none. */
  remove(path: string): Promise<void>
  /** Makes what was created, renamed and removed in a directory survive a power cut. */
  syncDirectory(path: string): Promise<void>
}

export interface ReadableFile {
  /** Bytes that the file had when it was opened. */
  readonly bytes: number
  /** Reads the bytes at `position`: as many as `target` holds, or fewer where the file ends. Gives their number. */
  readAt(position: number, target: Uint8Array): Promise<number>
  close(): Promise<void>
}

export interface WritableFile {
  /** Writes all pieces, one behind the other, from `position` on. After an error any part of them may be written. */
  writeAt(position: number, pieces: readonly Uint8Array[]): Promise<void>
  truncate(bytes: number): Promise<void>
  /** Makes what was written survive a power cut. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Writes a file whole, in place of what may be there under that name; it survives a power cut once its directory is synced. */
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

/** Only their owner may read them. */
const FILE_MODE = 0o600

/** The real file system below `root`. */
export function createDiskFiles(root: string): Files {
  const at = (path: string) => join(root, path)
  return {
    async list(directory) {
      return readdir(at(directory)).catch(orNothing)
    },
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

async function openToRead(path: string): Promise<ReadableFile> {
  const file = await open(path, 'r')
  const { size } = await file.stat()
  return {
    bytes: size,
    async readAt(position, target) {
      let filled = 0
      while (filled < target.length) {
        const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return filled
    },
    close: () => file.close(),
  }
}

async function openToWrite(path: string): Promise<WritableFile> {
  // No flag in letters makes a missing file and leaves one that is there as it is.
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
