import { exitProcess } from '../base/process/exit-process.js'
import { raiseHeapGrowth } from '../base/process/heap.js'
import { runProcessInBackground } from '../base/process/thread-priority.js'
import { systemClock } from '../base/time/clock.js'
import { GIB } from '../base/units.js'
import { CHECK_SETTINGS } from '../config/directory-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT, logFailure, write } from './call/command.js'

/** Smaller than the memory limit at which the heap may grow: a check may run next to a service, and must be small. */
const MEMORY_BYTES = GIB / 4

/** `logweir check`: reads everything in a data directory, and names the damaged files. */
export const check: Command = {
  name: 'check',
  operand: 'DIRECTORY',
  meaning: 'read everything in a data directory, and say what is damaged; next to a running service too',
  settings: CHECK_SETTINGS,
  operandPath: 'folder',
  remarks: `Exit code 0: everything is intact, or was made so by --repair; 1: something is wrong, or cannot be read.
--repair needs the directory for itself, so stop the service first. It deletes no damaged part, but moves it to the
folder "damaged" of the directory, which the service does not read.`,
  async run(args, { environment, log, stdout, stderr }) {
    const { readCheckConfig } = await import('../check/check-config.js')
    const config = readCheckConfig(args, environment, log)
    // Before the threads of the file system are started: threads inherit the priority.
    runProcessInBackground()
    raiseHeapGrowth(MEMORY_BYTES)
    const { runCheck } = await import('../check/run-check.js')
    if (!config.repair) onReaderClosed(() => process.exit(EXIT.ok))
    const isIntact = await runCheck(config, {
      clock: systemClock,
      log,
      print: (text) => write(stdout, text),
      terminal: stderr.isTTY ? stderr : undefined,
      onLost: (error) => void exitProcess(logFailure(error, log)),
    })
    return isIntact ? EXIT.ok : EXIT.failure
  },
}
