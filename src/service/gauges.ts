import type { Metrics } from '../base/metrics.js'
import { measureProcess } from '../base/process/process-metrics.js'
import { VERSION } from '../base/version.js'
import type { OpenedComponents, ServiceViews } from './open-components.js'
import { runtimeParts } from './runtime.js'
import type { ServiceStatus } from './status.js'

/** Sets the gauge of the bytes of views whenever the metrics are collected. */
function publishViewBytes(views: Pick<ServiceViews, 'bytes'>, { viewBytes }: Metrics): void {
  Object.assign(viewBytes, {
    collect() {
      viewBytes.reset()
      for (const [view, bytes] of views.bytes()) viewBytes.set({ view }, bytes)
    },
  })
}

/** Sets the gauges of the engine, of views and of the status whenever the metrics are collected. */
export function publishMetrics({ engine, views }: OpenedComponents, status: ServiceStatus, metrics: Metrics): void {
  if (views !== undefined) publishViewBytes(views, metrics)
  metrics.buildInfo.set({ version: VERSION, ...runtimeParts() }, 1)
  const { rows, segments, bytes, degraded, registry } = metrics
  const refresh = () => {
    for (const stats of engine.stats()) {
      const { source } = stats
      rows.set({ source }, stats.rows)
      segments.set({ source }, stats.segments)
      bytes.set({ source, tier: 'hot' }, stats.hotBytes)
      bytes.set({ source, tier: 'cold' }, stats.coldBytes)
      bytes.set({ source, tier: 'head' }, stats.headBytes)
    }
  }
  for (const gauge of [rows, segments, bytes]) Object.assign(gauge, { collect: refresh })
  Object.assign(degraded, { collect: () => degraded.set(status.current() === 'degraded' ? 1 : 0) })
  measureProcess(registry)
}
