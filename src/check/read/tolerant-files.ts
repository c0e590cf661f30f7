import { KIB } from '../../base/units.js'
import type { Files, ReadableFile } from '../../engine/disk/files/files.js'
import type { Damage } from '../../engine/disk/journal/recover.js'

/** The unit in which a file is read after the disk has failed: a page. */
const BLOCK_BYTES = 4 * KIB

/**
 * Returns the same files, except that blocks of 4 KiB that the disk cannot read (EIO) are read as zeros. Checksums then
 * find the cost. Calls `onUnreadable` with each unreadable block, on each read.
 */
export function tolerantFiles(files: Files, onUnreadable: (block: Damage) => void): Files {
  return {
    ...files,
    async openToRead(path) {
      const file = await files.openToRead(path)
      return { ...file, bytes: file.bytes, readAt: tolerantRead(file, path, onUnreadable) }
    },
  }
}

function tolerantRead(file: ReadableFile, path: string, onUnreadable: (block: Damage) => void): ReadableFile['readAt'] {
  const readBlocks = async (position: number, target: Uint8Array) => {
    const end = Math.min(position + target.length, file.bytes)
    for (let at = position; at < end; ) {
      const next = Math.min(end, at - (at % BLOCK_BYTES) + BLOCK_BYTES)
      const block = target.subarray(at - position, next - position)
      await file.readAt(at, block).catch((error) => {
        if (!isDiskError(error)) throw error
        block.fill(0)
        onUnreadable({ path, offset: at, bytes: next - at })
      })
      at = next
    }
    return Math.max(0, end - position)
  }
  return (position, target) =>
    file.readAt(position, target).catch((error) => {
      if (!isDiskError(error)) throw error
      return readBlocks(position, target)
    })
}

const isDiskError = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EIO'
