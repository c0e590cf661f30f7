import type { Clock } from '../time/clock.js'
import { fileVersion } from './file-version.js'

/** A file that is read again when it has changed. */
export interface WatchedFile<T> {
  /** The first content. */
  first: T
  /** Stops watching. */
  close(): void
}

/** Reads a file, and receives the new content after a change. */
export interface FileWatcher<T> {
  read(): T
  onChange(changed: T): void
  /** Called once for each change that cannot be read. */
  onError(error: Error): void
}

/**
 * The polling interval. Change notifications of the operating system are not reliable. A change takes effect at the
 * second poll that sees the change.
 */
const POLL_MS = 500

/**
 * Reads a file, which need not exist, and again after each change. A file that is still being written is not read.
 * Throws the error of the first read.
 */
export function watchFile<T>(path: string, clock: Clock, { read, onChange, onError }: FileWatcher<T>): WatchedFile<T> {
  let seen = fileVersion(path)
  let loaded = seen

  function poll(): void {
    const found = fileVersion(path)
    const isStable = found === seen
    seen = found
    if (!isStable || found === loaded) return
    try {
      const changed = read()
      // The file changed during the read: the next polls will see the change.
      if (fileVersion(path) !== found) return
      loaded = found
      onChange(changed)
    } catch (error) {
      loaded = found
      onError(error as Error)
    }
  }

  return { first: read(), close: clock.every(POLL_MS, poll) }
}
