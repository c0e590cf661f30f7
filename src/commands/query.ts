import { QUERY_SETTINGS } from '../config/client-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT } from './call/command.js'
import { rowsOut } from './call/rows-out.js'
import type { Choice } from './completion/positions.js'

/** `logweir query`: runs a stored query on a running service. */
export const query: Command = {
  name: 'query',
  operand: 'ENDPOINT',
  meaning: 'run a stored query on a running service',
  settings: QUERY_SETTINGS,
  remarks: `Further flags are the endpoint's parameters, such as --project abc or --project-tier PRO. Without ENDPOINT
it lists endpoints and parameters. --sql 'select …' --project abc runs a query of your own; it is a parameter of
logs.all, as --iso-timestamp-start. Exit code 1: the service cannot be reached, or answers with an error.`,
  choices: endpointChoices,
  async run(args, context) {
    const { readQuery, runQuery } = await import('../client/run-query.js')
    // A pending request must not keep the process alive.
    onReaderClosed(() => process.exit(EXIT.ok))
    await runQuery(readQuery(args, context.environment, context.log), rowsOut(context))
    return EXIT.ok
  },
}

/** Returns the built-in endpoints with their flags. Completion of these does not wait for a service. */
export async function endpointChoices(): Promise<readonly Choice[]> {
  const { ENDPOINTS } = await import('../endpoints/index.js')
  return ENDPOINTS.map(({ name, params }) => ({
    word: name,
    flags: Object.entries(params).map(([param, { description }]) => ({
      flag: `--${param.replaceAll('_', '-')}`,
      meaning: description,
    })),
  }))
}
