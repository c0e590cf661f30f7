import { setTimeout as wait } from 'node:timers/promises'
import { explainFileError } from '../base/files/file-errors.js'
import type { Log } from '../base/log.js'
import type { StopSignals } from '../base/process/stop-signals.js'
import { isDoneWithin } from '../base/scheduling/time-limit.js'
import type { Environment } from '../config/environment.js'
import type { ServeConfig } from '../config/serve-config.js'
import type { StartOptions } from './open-components.js'
import { type Service, startService } from './service.js'

/** How long an aborted start may take to release the data directory. */
const ABORT_MS = 1_000
/** The time limit to count the rows that a lost data directory can no longer take. */
const COUNT_MS = 1_000
/** How long a stop may take. The specification allows 5 s. */
const STOP_MS = 4_800

/**
 * Runs the service until a signal stops it, during the start too, or until another process takes the data directory.
 * Returns the exit code. A second signal ends the wait with exit code 1. Rejects as {@link startService} does.
 */
export async function runService(
  config: ServeConfig,
  environment: Environment,
  log: Log,
  { first, second }: StopSignals,
): Promise<number> {
  const starting = new AbortController()
  const lost = watchLoss(log)
  const started = startService(config, log, { environment, signal: starting.signal, onLost: lost.onLost })
  started.then(lost.watch, () => {})
  const isReady = started.then(({ ready }) => explainDenied(ready, config.dataDir))
  const signal = await Promise.race([first, lost.exitCode, isReady.then(() => first)])
  if (typeof signal === 'number') return signal
  log(`${signal}: stopping`, { code: 'stopping', signal })
  starting.abort()
  return Promise.race([stop(started, log), second.then(() => 1), lost.exitCode])
}

/**
 * Stops the service, and returns the exit code. A start that is not finished gets a moment to release the data
 * directory.
 */
async function stop(started: Promise<Service>, log: Log): Promise<number> {
  const timedOut = wait(STOP_MS).then(() => {
    log(`not stopped within ${STOP_MS / 1000} s; unfinished work is lost`, {
      level: 'error',
      code: 'stop_broken_off',
    })
    return 1
  })
  const service = await Promise.race([started.catch(() => undefined), wait(ABORT_MS)])
  return service === undefined ? 0 : Promise.race([service.stop().then(() => 0), timedOut])
}

/**
 * Returns an `onLost` callback and a promise of the exit code for a data directory that another process has taken. The
 * service is not stopped then, because a stop would write to the directory. Rows that were read are counted.
 */
function watchLoss(log: Log) {
  let resolve: (code: number) => void = () => {}
  const exitCode = new Promise<number>((settle) => {
    resolve = settle
  })
  let service: Service | undefined
  const onLost: StartOptions['onLost'] = (error) => {
    log(error.message, { level: 'error', code: 'data_dir_lost' })
    const counted = service?.abandonStdin(error) ?? Promise.resolve()
    void isDoneWithin(COUNT_MS, counted).then(() => resolve(1))
  }
  return { exitCode, onLost, watch: (started: Service) => void (service = started) }
}

/** Explains the system errors of a data directory that this user cannot read. */
function explainDenied(ready: Promise<void>, dataDir: string | undefined): Promise<void> {
  return ready.catch((error) => {
    const path = dataDir ?? ''
    throw explainFileError('data_dir_unusable', `The data directory ${path} cannot be read`, path, error)
  })
}
