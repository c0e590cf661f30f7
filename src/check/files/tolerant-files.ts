import { openAroundErrors } from '../../engine/disk/files/around-errors.js'
import type { Files } from '../../engine/disk/files/files.js'
import type { Damage } from '../../engine/disk/journal/recover.js'

const EVERY_BLOCK = {
  isOfBlock: (error: unknown) => (error as NodeJS.ErrnoException).code === 'EIO',
  maxBlocks: Number.POSITIVE_INFINITY,
}

/**
 * Returns the same files, except that blocks of 4 KiB that the disk cannot read (EIO) are read as zeros. Checksums then
 * find the cost. Calls `onUnreadable` with each unreadable block, on each read.
 */
export function tolerantFiles(files: Files, onUnreadable: (block: Damage) => void): Files {
  return {
    ...files,
    async openToRead(path) {
      const file = await openAroundErrors(files, path, EVERY_BLOCK)
      return {
        ...file,
        async readAt(position, target) {
          const known = file.unreadable.length
          const bytes = await file.readAt(position, target)
          for (const { from, to } of file.unreadable.slice(known))
            onUnreadable({ path, offset: from, bytes: to - from })
          return bytes
        },
      }
    },
  }
}
