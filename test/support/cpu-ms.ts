/**
 * Returns how many milliseconds some work takes: the time that passed, or the time of the processor if that is less,
 * since another process may have had the processor in between.
 */
export function cpuMs(work: () => unknown): number {
  const startMs = performance.now()
  const cpu = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(cpu)
  return Math.min(performance.now() - startMs, (user + system) / 1_000)
}
