import { USAGE_SETTINGS } from '../config/client-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT } from './call/command.js'
import { rowsOut } from './call/rows-out.js'

/** `logweir usage`: the rows and bytes of projects that a running service stores. */
export const usage: Command = {
  name: 'usage',
  meaning: 'count the rows and bytes that a running service stores, by project, source and day',
  settings: USAGE_SETTINGS,
  remarks: `Bytes are those of the files, shared out by rows; rows that are not sealed yet are estimated. Hidden rows
count until they are removed. With a token that is bound to projects, their rows alone.
Exit code 1: the service cannot be reached, or answers with an error.`,
  async run(args, context) {
    const { readUsage, runUsage } = await import('../client/usage/run-usage.js')
    onReaderClosed(() => process.exit(EXIT.ok))
    await runUsage(readUsage(args, context.environment, context.log), rowsOut(context))
    return EXIT.ok
  },
}
