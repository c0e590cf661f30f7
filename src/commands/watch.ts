import { catchStopSignals } from '../base/process/stop-signals.js'
import { WATCH_SETTINGS } from '../config/client-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT } from './call/command.js'
import { rowsOut, screenOf } from './call/rows-out.js'
import { endpointChoices } from './query.js'

/** `logweir watch`: follows the result of a stored query. */
export const watch: Command = {
  name: 'watch',
  operand: 'ENDPOINT',
  meaning: 'follow the result of a stored query, until Ctrl-C',
  settings: WATCH_SETTINGS,
  remarks: `Further flags are the endpoint's parameters, as of logweir query, and so is --sql. On a terminal it repaints
a table whenever the result changes. In a pipe it prints the events, a line of JSON each: snapshot, the whole result;
or change, the rows that are new or different, and the keys of those that are gone. Exit codes are those of query.`,
  choices: endpointChoices,
  async run(args, context) {
    const { readWatch, runWatch } = await import('../client/watch.js')
    const config = readWatch(args, context.environment, context.log)
    const stop = new AbortController()
    const { first, second } = catchStopSignals()
    first.then(() => stop.abort())
    second.then(() => process.exit(EXIT.failure))
    onReaderClosed(() => stop.abort())
    await runWatch(config, { ...rowsOut(context), screen: screenOf(context) }, context.log, stop.signal)
    return EXIT.ok
  },
}
