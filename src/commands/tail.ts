import { catchStopSignals } from '../base/process/stop-signals.js'
import { TAIL_SETTINGS } from '../config/client-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT, write } from './call/command.js'

/** `logweir tail`: prints new rows of a project and a source. */
export const tail: Command = {
  name: 'tail',
  meaning: "print a project's rows of a source as they arrive, until Ctrl-C",
  settings: TAIL_SETTINGS,
  remarks: `The filter is that of GET /api/tail: a JSON list of conditions that all must hold, in quotes for the shell:
  logweir tail --project PROJECT --source auth_logs --filter '[{"field":"status","op":">=","value":400}]'
A list in place of a condition has alternatives. The operators are =, !=, <, <=, >, >=, in, not_in, exists, missing,
contains and matches.`,
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
