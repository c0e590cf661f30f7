import { readGenerateConfig } from '../config/generate-config.js'
import { GENERATE_SETTINGS } from '../config/generate-settings.js'
import { type Command, EXIT } from './call/command.js'

/** `logweir generate`: writes synthetic log records. */
export const generate: Command = {
  name: 'generate',
  meaning: 'write realistic log records as NDJSON',
  settings: GENERATE_SETTINGS,
  async run(args, { environment, log, stdout }) {
    const config = readGenerateConfig(args, environment, log)
    const { writeRecords } = await import('../generate/write.js')
    await writeRecords(config, stdout)
    return EXIT.ok
  },
}
