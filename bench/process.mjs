/** Runs programs in fresh processes, pinned to cores if `taskset` is available, and reads their memory and CPU time. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

export const CORE = process.env.LOGWEIR_BENCH_CORE ?? '0'
/** A core for programs that must not take time from the measured core. */
export const OTHER_CORE = CORE === '0' ? '1' : '0'
const canPin = spawnSync('taskset', ['-c', CORE, 'true']).status === 0
/** The unit in which Linux reports the CPU time of a process. */
const TICKS_PER_SECOND = 100

/** Returns the name of the cores that all threads of a process run on. */
export const pinnedTo = (cores = CORE) => (canPin ? `core ${cores}` : 'not pinned: no taskset here')

/** Starts `node ...args`, pinned to `cores`, a list in the format of taskset. */
export function startNode(args, options, cores = CORE) {
  const pin = canPin ? ['taskset', '-c', cores] : []
  const [command, ...rest] = [...pin, process.execPath, ...args]
  return spawn(command, rest, options)
}

/**
 * Runs `node ...args` and returns the printed line of JSON, parsed. Its own child processes run on the cores `started`.
 * Throws if the process fails.
 */
export async function runNode(args, cores = CORE, started = cores) {
  const env = { ...process.env, LOGWEIR_BENCH_CORE: started }
  const child = startNode(args, { stdio: ['ignore', 'pipe', 'inherit'], env }, cores)
  const exit = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  const ended = await exit
  if (ended !== 0) throw new Error(`node ${args.join(' ')} ended with ${ended}`)
  return JSON.parse(output)
}

/** Returns a taskset list of `count` cores, the first of which is `CORE`. */
export function coresOf(count) {
  return Array.from({ length: count }, (_, i) => (Number(CORE) + i) % cpus().length).join(',')
}

/** Returns the current resident memory of a process in MB (10^6 bytes), or NaN without /proc. */
export function residentMb(pid) {
  return memoryMb(pid, 'VmRSS')
}

/** Returns the peak resident memory of a process in MB, or NaN without /proc. */
export function peakMb(pid) {
  return memoryMb(pid, 'VmHWM')
}

function memoryMb(pid, field) {
  try {
    const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Math.round((Number(kib) * 1024) / 1e6)
  } catch {
    return Number.NaN
  }
}

/** Returns the CPU seconds that all threads of a process have used so far, or NaN without /proc. */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return Number.NaN
  }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
