import { createStderrLog, type Log } from '../base/log.js'
import { limitWarning } from '../base/memory/memory.js'
import { exitProcess } from '../base/process/exit-process.js'
import { raiseHeapGrowth } from '../base/process/heap.js'
import { catchStopSignals } from '../base/process/stop-signals.js'
import { readServeConfig } from '../config/serve-config.js'
import { SERVE_SETTINGS } from '../config/serve-settings.js'
import { type Command, logFailure } from './call/command.js'

/** From the signal on, a stop takes no longer than this time. The specification allows 5 s. */
const EXIT_MS = 4_700

/** Holds lines until the format of the log is known. If `read` throws, `orElse` writes the lines before the error. */
function holdLines() {
  const lines: Parameters<Log>[] = []
  const release = (log: Log) => {
    for (const line of lines.splice(0)) log(...line)
  }
  return {
    log: ((...line) => void lines.push(line)) as Log,
    release,
    orElse<T>(log: Log, read: () => T): T {
      try {
        return read()
      } catch (error) {
        release(log)
        throw error
      }
    },
  }
}

/** `logweir serve`: runs the service until a signal stops the service. */
export const serve: Command = {
  name: 'serve',
  meaning: 'serve HTTP, and read NDJSON from standard input if it is a pipe, a socket or a file',
  settings: SERVE_SETTINGS,
  async run(args, { environment, log: warn }) {
    const signals = catchStopSignals()
    let deadlineMs = Number.POSITIVE_INFINITY
    void signals.first.then(() => void (deadlineMs = performance.now() + EXIT_MS))
    const held = holdLines()
    const config = held.orElse(warn, () => readServeConfig(args, environment, held.log))
    const log = createStderrLog(config.logFormat)
    held.release(log)
    raiseHeapGrowth(config.memoryLimitBytes)
    const warning = config.clickhouse === undefined ? limitWarning(config.memoryLimitBytes) : undefined
    if (warning !== undefined) log(warning, { level: 'warn', code: 'memory_limit_too_low' })
    const { runService } = await import('../service/run-service.js')
    // Standard input that is still open must not keep the process alive.
    const code = await runService(config, environment, log, signals).catch((error) => logFailure(error, log))
    return exitProcess(code, deadlineMs)
  },
}
