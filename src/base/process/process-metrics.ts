import { Counter, Gauge, type Registry } from 'prom-client'

const START_S = Date.now() / 1000 - process.uptime()

/** Registers memory, start time and processor time of the process, under the usual names of Prometheus clients. */
export function measureProcess(registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process, in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since the epoch.',
    registers,
  }).set(START_S)
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that the process has used, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
}
