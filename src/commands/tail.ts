import { TAIL_SETTINGS } from '../config/settings.js'
import { onReaderClosed } from './closed-pipe.js'
import { type Command, EXIT, write } from './command.js'
import { catchStopSignals } from './stop-signals.js'

/** `logweir tail`: prints new edge logs of a project. */
export const tail: Command = {
  name: 'tail',
  meaning: "print a project's edge logs as they arrive, until Ctrl-C",
  settings: TAIL_SETTINGS,
  async run(args, { environment, log, stdout }) {
    const { readTail, runTail } = await import('../client/tail.js')
    const config = readTail(args, environment, log)
    const stop = new AbortController()
    const { first, second } = catchStopSignals()
    first.then(() => stop.abort())
    second.then(() => process.exit(EXIT.failure))
    onReaderClosed(() => stop.abort())
    const out = { write: (text: string) => write(stdout, text), isTerminal: stdout.isTTY ?? false }
    await runTail(config, out, log, stop.signal)
    return EXIT.ok
  },
}
