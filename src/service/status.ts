import type { Engine } from '../engine/engine.js'
import type { Status } from '../http/routes.js'

/** The state of the service, for `/health` and the metrics. */
export interface ServiceStatus {
  current(): Status
  isStarting(): boolean
  becomeReady(): void
  /** Standard input has failed. */
  degrade(): void
  beginStop(): void
}

/** Returns the status `starting`. While the engine cannot write, the current status is `degraded` instead of `ok`. */
export function createStatus(engine: Pick<Engine, 'writeFailure'>): ServiceStatus {
  let status: Status = 'starting'
  let isStopping = false
  return {
    current() {
      if (isStopping && status !== 'starting') return 'stopping'
      return status === 'ok' && engine.writeFailure() !== undefined ? 'degraded' : status
    },
    isStarting: () => status === 'starting',
    becomeReady: () => void (status = 'ok'),
    degrade: () => void (status = 'degraded'),
    beginStop: () => void (isStopping = true),
  }
}
