import { readFileSync, writeFileSync } from 'node:fs'
import { KIB } from '../../../src/base/units.js'
import type { Program } from './program.js'

type Child = Pick<Program, 'child'>

/** Returns the resident bytes of a process, and their peak since the last {@link forgetPeak}, from Linux. */
export function residentBytes({ child }: Child): { now: number; peak: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * KIB
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** Resets the peak of the resident memory. */
export function forgetPeak({ child }: Child): void {
  writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
}
