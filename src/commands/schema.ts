import { readSchemaConfig } from '../config/clickhouse-config.js'
import { SCHEMA_SETTINGS } from '../config/directory-settings.js'
import { type Command, EXIT, write } from './call/command.js'

/** `logweir schema clickhouse`: prints or creates the tables for ClickHouse. */
export const schema: Command = {
  name: 'schema clickhouse',
  meaning: 'print the tables that --engine clickhouse needs, or create them',
  settings: SCHEMA_SETTINGS,
  async run(args, { environment, log, stdout }) {
    const config = readSchemaConfig(args, environment, log)
    const { showSchema } = await import('../service/show-schema.js')
    const isCorrect = await showSchema(config, (text) => write(stdout, text))
    return isCorrect ? EXIT.ok : EXIT.failure
  },
}
