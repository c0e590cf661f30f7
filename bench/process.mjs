/** Runs a program to its end in a fresh process, on one core where the machine lets us choose. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

export const CORE = process.env.LOGWEIR_BENCH_CORE ?? '0'
/** For what must not take from the core that is measured. */
export const OTHER_CORE = CORE === '0' ? '1' : '0'
const canPin = spawnSync('taskset', ['-c', CORE, 'true']).status === 0
/** Linux counts the time of processes in these. */
const TICKS_PER_SECOND = 100

/** Which cores a process has for all of its threads. */
export const pinnedTo = (cores = CORE) => (canPin ? `core ${cores}` : 'not pinned: no taskset here')

/** Starts `node ...args` with whole cores for itself, named as taskset names them. */
export function startNode(args, options, cores = CORE) {
  const pin = canPin ? ['taskset', '-c', cores] : []
  const [command, ...rest] = [...pin, process.execPath, ...args]
  return spawn(command, rest, options)
}

/**
 * Runs `node ...args` and reads the one line of JSON that it prints. What it starts itself is put on the cores
 * `started`.
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

/** So many cores as taskset names them, beginning with the one that is set. */
export function coresOf(count) {
  return Array.from({ length: count }, (_, i) => (Number(CORE) + i) % cpus().length).join(',')
}

/** Resident memory of a process now, in MB (10^6 bytes); NaN where /proc is not to be had. */
export function residentMb(pid) {
  return memoryMb(pid, 'VmRSS')
}

/** The most memory that a process has had resident. */
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

/** Seconds of a core that a process has taken so far, all of its threads together; NaN where /proc is not to be had. */
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
