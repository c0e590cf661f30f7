import { openSync, readSync } from 'node:fs'

/** The scheduler's statistics of this thread: CPU time in nanoseconds, and more. Linux only. */
const SCHEDSTAT = '/proc/thread-self/schedstat'
const SPACE = 0x20

const text = Buffer.alloc(64)
let file: number | undefined

/**
 * Returns the CPU time of the calling thread in milliseconds, from any origin. Returns the time that has passed if the
 * system has no CPU times. Limits of work use the CPU time: on a busy machine a thread waits while time passes. Takes
 * 10 us.
 */
export function threadCpuMs(): number {
  file ??= openStatistics()
  if (file < 0) return performance.now()
  readSync(file, text, 0, text.length, 0)
  return Number(text.toString('latin1', 0, text.indexOf(SPACE))) / 1e6
}

/** Returns a file descriptor, or -1 if the file does not exist. */
function openStatistics(): number {
  try {
    return openSync(SCHEDSTAT, 'r')
  } catch {
    return -1
  }
}
