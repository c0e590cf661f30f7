import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/** Nice value of background threads: next to a busy thread, a background thread gets a tenth of a core. */
const BACKGROUND = 10

/**
 * Lets other threads, of this process and of others, run before the calling worker thread. Works on Linux only, where
 * each thread has a priority. Does nothing elsewhere, as the priority would be that of the process.
 */
export function runInBackground(): void {
  if (process.platform !== 'linux') return
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(threadId, BACKGROUND)
  } catch {
    // A system without /proc, or without access to /proc: the thread then keeps its priority, and works as well.
  }
}

/** Lets other processes run before this process. Call at the start: threads inherit their creator's priority. */
export function runProcessInBackground(): void {
  try {
    setPriority(BACKGROUND)
  } catch {
    // The system forbids the change: the process keeps the priority, and works as well.
  }
}
