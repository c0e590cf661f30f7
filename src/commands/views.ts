import { VIEWS_SETTINGS } from '../config/client-settings.js'
import { VIEWS_DROP_SETTINGS } from '../config/directory-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT } from './call/command.js'
import { rowsOut } from './call/rows-out.js'

/** `logweir views drop`: deletes the groups of a view of a stopped service. */
export const viewsDrop: Command = {
  name: 'views drop',
  operand: 'NAME',
  meaning: 'delete the groups of a view, or of an old version, in the data directory of a stopped logweir',
  settings: VIEWS_DROP_SETTINGS,
  remarks: `A view whose file is still there is made again of the rows that are still stored, at the next start. Exit
code 1: there is no such view, or the directory is in use; 2: --yes is missing.`,
  async run(args, { environment, log }) {
    const { readDropConfig } = await import('../view-commands/views-config.js')
    const config = readDropConfig(args, environment, log)
    const { runDrop } = await import('../view-commands/drop-view.js')
    await runDrop(config, log)
    return EXIT.ok
  },
}

/** `logweir views`: lists the views of a service, or of the data directory of a stopped one. */
export const views: Command = {
  name: 'views',
  meaning: 'list the views of a running service, or of a stopped one, with their rows, bytes and buckets',
  settings: VIEWS_SETTINGS,
  remarks: `logweir ${viewsDrop.name} NAME: ${viewsDrop.meaning}.
--data-dir without --url reads the data directory of a stopped logweir. A service is asked otherwise, with
a token that is not bound to projects. "grouped" is the part of the sealed rows that is in the view's files.
Exit code 1: the service cannot be reached, or the directory is in use or cannot be read.`,
  async run(args, context) {
    const { readViewsConfig } = await import('../view-commands/views-config.js')
    const { runViews } = await import('../view-commands/list-views.js')
    onReaderClosed(() => process.exit(EXIT.ok))
    await runViews(readViewsConfig(args, context.environment, context.log), rowsOut(context))
    return EXIT.ok
  },
}
