import { threadCpuMs } from '../../src/base/process/thread-cpu.js'
import { MIB } from '../../src/base/units.js'

/** Returns how many milliseconds of CPU time some work takes in this thread. */
export function cpuMs(work: () => unknown): number {
  const startMs = threadCpuMs()
  work()
  return threadCpuMs() - startMs
}

/** The milliseconds that a quiet core of an ordinary machine takes for {@link readCharacters}. */
const READING_MS = 16
const CHARACTERS = Buffer.alloc(8 * MIB, 'ab').toString()

function readCharacters(): number {
  let sum = 0
  for (let i = 0; i < CHARACTERS.length; i++) sum = (31 * sum + CHARACTERS.charCodeAt(i)) | 0
  return sum
}

/**
 * Returns how many times as long as on a quiet machine work takes now: 1, or more while others use the cores and
 * caches, which makes every instruction of a thread slower.
 */
export function slownessNow(): number {
  return Math.max(1, cpuMs(readCharacters) / READING_MS)
}

/** How often the machine is measured before some work, and after it. */
const SAMPLES = 3

/** Does some work. Returns its result, and how many times as long as on a quiet machine it took, as estimated. */
export async function withSlowness<Result>(work: () => Promise<Result>): Promise<{ result: Result; slowness: number }> {
  const samples = () => Array.from({ length: SAMPLES }, slownessNow)
  const before = samples()
  const result = await work()
  return { result, slowness: Math.max(...before, ...samples()) }
}
