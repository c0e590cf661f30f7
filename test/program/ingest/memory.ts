import { readFileSync, writeFileSync } from 'node:fs'
import { KIB } from '../../../src/base/units.js'

/** Bytes of a process's memory that are resident now, and that were at most since the peak was last forgotten. */
export function residentBytes(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * KIB
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** From here on the peak is counted anew. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
