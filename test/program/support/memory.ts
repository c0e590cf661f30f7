import { readFileSync, writeFileSync } from 'node:fs'
import { KIB } from '../../../src/base/units.js'
import type { Program } from './program.js'

type Child = Pick<Program, 'child'>

/** Bytes of memory that are resident now, and that were at most since the peak was last forgotten, as Linux tells them. */
export function residentBytes({ child }: Child): { now: number; peak: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * KIB
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** From here on the peak is counted anew. */
export function forgetPeak({ child }: Child): void {
  writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
}
