import { raiseHeapGrowth } from '../base/process/heap.js'
import { readExportConfig } from '../config/clickhouse-config.js'
import { EXPORT_SETTINGS } from '../config/directory-settings.js'
import { type Command, EXIT, write } from './call/command.js'

/** `logweir export`: copies the rows of a data directory to ClickHouse. */
export const exportTo: Command = {
  name: 'export',
  operand: '--to clickhouse',
  meaning: 'copy the rows of a data directory to those tables; rows that are there already are not sent again',
  settings: EXPORT_SETTINGS,
  async run(args, { environment, log, stdout, stderr }) {
    const config = readExportConfig(args, environment, log)
    raiseHeapGrowth()
    const { exportDirectory } = await import('../export/export.js')
    const print = (text: string) => write(stdout, text)
    const isComplete = await exportDirectory(config, { print, log, terminal: stderr.isTTY ? stderr : undefined })
    return isComplete ? EXIT.ok : EXIT.failure
  },
}
