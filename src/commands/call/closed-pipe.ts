import { lstatSync, readdirSync, readlinkSync } from 'node:fs'

const POLL_MS = 250
const STDOUT = '/proc/self/fd/1'
const OWNER_READS = 0o400

/**
 * Calls `onClosed` once when the reader of the pipe on standard output has closed the pipe, as in
 * `logweir tail | head -n 1`. The next write would fail, but a waiting command may never write again, and Node cannot
 * poll a pipe opened only for writing. So the reading process is looked up in /proc. If no reader is found there (no
 * Linux, another user's process, no pipe), only the next write fails. Does not keep the process alive.
 */
export function onReaderClosed(onClosed: () => void): void {
  const pipe = targetOf(STDOUT)
  if (pipe === undefined || !pipe.startsWith('pipe:')) return
  let reader = findReader(pipe)
  if (reader === undefined) return
  const timer = setInterval(() => {
    const state = readerState(reader!, pipe)
    if (state === 'open') return
    reader = state === 'closed' ? findReader(pipe) : undefined
    if (reader !== undefined) return
    clearInterval(timer)
    if (state === 'closed') onClosed()
  }, POLL_MS)
  timer.unref()
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/** Whether a descriptor still reads the pipe. `hidden` if the reader changed its user, as `sudo` does. */
function readerState(descriptor: string, pipe: string): 'open' | 'closed' | 'hidden' {
  try {
    return readlinkSync(descriptor) === pipe ? 'open' : 'closed'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'hidden' : 'closed'
  }
}

/** Returns a descriptor that reads the pipe, of any process with visible descriptors, or undefined. */
function findReader(pipe: string): string | undefined {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes.flatMap(descriptorsOf).find((descriptor) => targetOf(descriptor) === pipe && isReadable(descriptor))
}

function descriptorsOf(pid: string): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).map((fd) => `${folder}/${fd}`)
  } catch {
    return []
  }
}

/** Whether a descriptor was opened for reading: the link in /proc has the same rights. */
function isReadable(descriptor: string): boolean {
  try {
    return (lstatSync(descriptor).mode & OWNER_READS) !== 0
  } catch {
    return false
  }
}
