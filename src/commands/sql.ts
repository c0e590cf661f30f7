import { raiseHeapGrowth } from '../base/process/heap.js'
import { systemClock } from '../base/time/clock.js'
import { SQL_SETTINGS } from '../config/directory-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT } from './call/command.js'
import { rowsOut } from './call/rows-out.js'

/** `logweir sql`: runs SQL over a data directory that no service has. */
export const sql: Command = {
  name: 'sql',
  operand: "DIRECTORY 'select …'",
  meaning: 'run SQL over the data directory of a stopped logweir, in which nothing is changed',
  settings: SQL_SETTINGS,
  operandPath: 'folder',
  remarks: `The answer has at most 1000 rows. Exit code 1: the directory is in use or cannot be read, or a row fails the
query; 2: the SQL is wrong.`,
  async run(args, context) {
    const { readSqlConfig } = await import('../sql-directory/sql-config.js')
    const config = readSqlConfig(args, context.environment, context.log)
    raiseHeapGrowth()
    const { queryDirectory } = await import('../sql-directory/query-directory.js')
    onReaderClosed(() => process.exit(EXIT.ok))
    const parts = { clock: systemClock, log: context.log, out: rowsOut(context) }
    return (await queryDirectory(config, parts)) ? EXIT.ok : EXIT.failure
  },
}
