import { exitProcess } from '../base/process/exit-process.js'
import { raiseHeapGrowth } from '../base/process/heap.js'
import { IMPORT_SETTINGS } from '../config/directory-settings.js'
import { readImportConfig } from '../config/import-config.js'
import { type Command, EXIT, logFailure, write } from './call/command.js'

/** `logweir import`: copies the rows of Logflare's tables into a data directory. */
export const importFrom: Command = {
  name: 'import',
  operand: '--from logflare-postgres URL',
  meaning: 'copy the rows of a Logflare in PostgreSQL into a data directory; rows that are there already are left out',
  settings: IMPORT_SETTINGS,
  remarks: `URL is the address of the database, such as postgresql://supabase_admin@127.0.0.1:5432/_supabase. What it
leaves out comes from PGHOST, PGPORT, PGUSER, PGPASSWORD and ~/.pgpass. No service may have the data directory. An
import that was stopped anywhere continues when it is run again.`,
  async run(args, { environment, log, stdout, stderr }) {
    const config = readImportConfig(args, environment, log)
    // Every user of the machine can read command lines, and this command line may contain a password.
    process.title = 'logweir import'
    raiseHeapGrowth(config.memoryLimitBytes)
    const { importDirectory } = await import('../import/import.js')
    await importDirectory(config, {
      print: (text) => write(stdout, text),
      log,
      terminal: stderr.isTTY ? stderr : undefined,
      onLost: (error) => void exitProcess(logFailure(error, log)),
    })
    return EXIT.ok
  },
}
