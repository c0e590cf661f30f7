import { readInForce } from '../config/config.js'
import { CONFIG_SETTINGS } from '../config/settings.js'
import { type Command, EXIT, write } from './command.js'

export const config: Command = {
  name: 'config',
  meaning: 'print the settings that serve would have with the same flags, and where each comes from',
  settings: CONFIG_SETTINGS,
  remarks: 'What it prints is a file of settings itself. Secrets are shown as ***.',
  async run(args, { environment, log, stdout }) {
    const { isJson, settings } = readInForce(args, environment, log)
    const { describeInForce, jsonInForce } = await import('../config/effective-settings.js')
    await write(stdout, isJson ? jsonInForce(settings) : describeInForce(settings))
    return EXIT.ok
  },
}
