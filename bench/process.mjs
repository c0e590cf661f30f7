/** Runs a program to its end in a fresh process, on one core where the machine lets us choose. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const CORE = process.env.LOGWEIR_BENCH_CORE ?? '0'
const canPin = spawnSync('taskset', ['-c', CORE, 'true']).status === 0

/** Whether each process has one core for all of its threads. */
export const pinned = canPin ? `core ${CORE}` : 'not pinned: no taskset here'

/** Starts `node ...args` with a whole core for itself. */
export function startNode(args, options) {
  const [command, ...rest] = canPin ? ['taskset', '-c', CORE, process.execPath, ...args] : [process.execPath, ...args]
  return spawn(command, rest, options)
}

/** Runs `node ...args` and reads the one line of JSON that it prints. */
export async function runNode(args) {
  const child = startNode(args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  return JSON.parse(output)
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

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
