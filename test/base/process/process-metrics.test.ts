import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { measureProcess } from '../../../src/base/process/process-metrics.js'

it('tells memory, start and time of processors, anew at each look', async () => {
  const registry = new Registry()
  measureProcess(registry)
  const value = async (name: string) => (await registry.getSingleMetric(name)!.get()).values[0]!.value
  expect(await value('process_resident_memory_bytes')).toBeGreaterThan(2 ** 20)
  expect(Math.abs((await value('process_start_time_seconds')) - (Date.now() / 1000 - process.uptime()))).toBeLessThan(5)
  const before = process.cpuUsage()
  const [first, second] = [await value('process_cpu_seconds_total'), await value('process_cpu_seconds_total')]
  expect(first).toBeGreaterThanOrEqual((before.user + before.system) / 1e6)
  expect(second).toBeGreaterThanOrEqual(first)
  // Not accumulated over the reads.
  const after = process.cpuUsage()
  expect(second).toBeLessThanOrEqual((after.user + after.system) / 1e6)
})
