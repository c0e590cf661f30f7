import { raiseHeapGrowth } from '../base/heap.js'
import { createStderrLog } from '../base/log.js'
import { limitWarning } from '../base/memory.js'
import { readServeConfig } from '../config/serve-config.js'
import { SERVE_SETTINGS } from '../config/settings.js'
import { type Command, logFailure } from './command.js'
import { exitProcess } from './exit-process.js'
import { catchStopSignals } from './stop-signals.js'

/** From the signal on, a stop takes no longer than this time. The specification allows 5 s. */
const EXIT_MS = 4_700

/** `logweir serve`: runs the service until a signal stops it. */
export const serve: Command = {
  name: 'serve',
  meaning: 'serve HTTP, and read NDJSON from standard input if it is a pipe, a socket or a file',
  settings: SERVE_SETTINGS,
  async run(args, { environment, log: warn }) {
    const signals = catchStopSignals()
    let deadlineMs = Number.POSITIVE_INFINITY
    void signals.first.then(() => void (deadlineMs = performance.now() + EXIT_MS))
    const config = readServeConfig(args, environment, warn)
    const log = createStderrLog(config.logFormat)
    raiseHeapGrowth(config.memoryLimitBytes)
    const warning = config.clickhouse === undefined ? limitWarning(config.memoryLimitBytes) : undefined
    if (warning !== undefined) log(warning, { level: 'warn', code: 'memory_limit_too_low' })
    const { runService } = await import('./run-service.js')
    // Standard input that is still open must not keep the process alive.
    const code = await runService(config, log, signals).catch((error) => logFailure(error, log))
    return exitProcess(code, deadlineMs)
  },
}
