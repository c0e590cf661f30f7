import { cpuUsage } from 'node:process'

/**
 * Returns the result of some work, and the longest time in milliseconds in which the work kept the event loop: the time
 * that passed, or the time of the processor if that is less.
 */
export async function loopGap<T>(work: () => Promise<T>): Promise<{ result: T; gapMs: number }> {
  let gapMs = 0
  let lastMs = performance.now()
  let lastCpu = cpuUsage()
  let isRunning = true
  const look = () => {
    const { user, system } = cpuUsage(lastCpu)
    gapMs = Math.max(gapMs, Math.min(performance.now() - lastMs, (user + system) / 1_000))
    lastMs = performance.now()
    lastCpu = cpuUsage()
    if (isRunning) setImmediate(look)
  }
  setImmediate(look)
  try {
    const result = await work()
    return { result, gapMs }
  } finally {
    look()
    isRunning = false
  }
}
