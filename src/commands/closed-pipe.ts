import { lstatSync, readdirSync, readlinkSync } from 'node:fs'

const LOOK_MS = 250
const STDOUT = '/proc/self/fd/1'
const OWNER_READS = 0o400

/**
 * Calls back once when nobody reads the pipe on standard output any more, as after `logweir tail | head -n 1`. A write would
 * tell, but a command that waits may never write again, and Node cannot poll a pipe that it only writes to. So the process
 * that reads is looked up in /proc. If it is not found there (no Linux, another user's process, no pipe), only the next
 * write tells. Does not keep the process running.
 */
export function whenReaderLeaves(onLeft: () => void): void {
  const pipe = targetOf(STDOUT)
  if (pipe === undefined || !pipe.startsWith('pipe:')) return
  let reader = findReader(pipe)
  if (reader === undefined) return
  const timer = setInterval(() => {
    const fate = fateOf(reader!, pipe)
    if (fate === 'there') return
    reader = fate === 'gone' ? findReader(pipe) : undefined
    if (reader !== undefined) return
    clearInterval(timer)
    if (fate === 'gone') onLeft()
  }, LOOK_MS)
  timer.unref()
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/** Whether a descriptor still reads the pipe; hidden if its process has become another user's, as one of `sudo` does. */
function fateOf(descriptor: string, pipe: string): 'there' | 'gone' | 'hidden' {
  try {
    return readlinkSync(descriptor) === pipe ? 'there' : 'gone'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'hidden' : 'gone'
  }
}

/** A descriptor that reads the pipe, of any process whose descriptors this one may see. */
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

/** The rights of such a link are those that the descriptor was opened with. */
function isReadable(descriptor: string): boolean {
  try {
    return (lstatSync(descriptor).mode & OWNER_READS) !== 0
  } catch {
    return false
  }
}
