import { DELETE_SETTINGS } from '../config/client-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT } from './call/command.js'
import { rowsOut } from './call/rows-out.js'

/** `logweir delete`: deletes rows of a project on a running service. */
export const deleteRows: Command = {
  name: 'delete',
  meaning: 'delete rows of a project on a running service, for good',
  settings: DELETE_SETTINGS,
  remarks: `The token needs the scope delete: logweir token create --scope delete. Without --yes the command counts the
rows and deletes none. Deleted are the rows that are stored when the service accepts the request: they are hidden at
once, and erased from the files in the background. Exit code 1: the service cannot be reached, or answers with an error;
2: --yes is missing.`,
  async run(args, context) {
    const { readDelete, runDelete } = await import('../client/delete.js')
    // A pending request must not keep the process alive.
    onReaderClosed(() => process.exit(EXIT.ok))
    await runDelete(readDelete(args, context.environment, context.log), rowsOut(context))
    return EXIT.ok
  },
}
