import type { Files, ReadableFile } from '../../disk/files/files.js'
import { isDamage } from '../../execute/columns/damage.js'
import { asDamage, openFile, withFile } from './ends.js'

/**
 * A file that is read several times. While the file is held, it is opened once. Otherwise it is opened for each read,
 * since there may be more files than a process may have open.
 */
export interface HeldFile {
  /** Calls `read` with the open file, like {@link withFile}. */
  use<T>(read: (file: ReadableFile) => Promise<T>): Promise<T>
  /** From now on the file is held. */
  hold(): void
  /** The file is no longer held, and closed once no read uses it. */
  release(): void
}

/** The open file of a time in which the file is held. */
interface Opened {
  file: Promise<ReadableFile>
  /** Reads that use the file. */
  reads: number
  isReleased: boolean
}

/** Returns a file that is not held. */
export function createHeldFile(files: Files, path: string): HeldFile {
  let isHeld = false
  let opened: Opened | undefined

  function drop(): void {
    const before = opened
    opened = undefined
    if (before === undefined) return
    before.isReleased = true
    closeUnused(before)
  }

  return {
    async use(read) {
      if (!isHeld) return withFile(files, path, read)
      opened ??= { file: openFile(files, path), reads: 0, isReleased: false }
      const own = opened
      own.reads++
      try {
        return await read(await own.file)
      } catch (error) {
        if (opened === own) drop()
        if (!isDamage(await asDamage(files, path, error))) throw error
      } finally {
        own.reads--
        closeUnused(own)
      }
      // A second time, as `withFile` does.
      return withFile(files, path, read)
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      drop()
    },
  }
}

function closeUnused({ file, reads, isReleased }: Opened): void {
  if (!isReleased || reads > 0) return
  // Without an open file there is nothing to close, and a read has reported why.
  file.then((open) => open.close()).catch(() => {})
}
