import { readFileSync } from 'node:fs'
import type { Served } from '../program.js'

/** The memory that a process holds at the moment, in bytes, as Linux tells it. */
export function residentBytes({ child }: Pick<Served, 'child'>): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024
}

/** Watches the memory until stopped; gives the most that was seen. */
export function watchResident(service: Served): () => number {
  let most = residentBytes(service)
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(service))
  }, 50)
  return () => {
    clearInterval(timer)
    return most
  }
}
