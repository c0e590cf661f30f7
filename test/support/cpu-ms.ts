import { threadCpuMs } from '../../src/base/thread-cpu.js'

/** Returns how many milliseconds of CPU time some work takes in this thread. */
export function cpuMs(work: () => unknown): number {
  const startMs = threadCpuMs()
  work()
  return threadCpuMs() - startMs
}
