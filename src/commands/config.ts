import { readEffectiveSettings } from '../config/serve-config.js'
import { CONFIG_SETTINGS } from '../config/serve-settings.js'
import { type Command, EXIT, write } from './call/command.js'

/** `logweir config`: prints the effective settings of serve. */
export const config: Command = {
  name: 'config',
  meaning: 'print the settings that serve would have with the same flags, and where each comes from',
  settings: CONFIG_SETTINGS,
  remarks: 'The output is a settings file itself. Secrets are shown as ***.',
  async run(args, { environment, log, stdout }) {
    const { isJson, settings } = readEffectiveSettings(args, environment, log)
    const { effectiveSettingsToml, effectiveSettingsJson } = await import('../config/effective-settings.js')
    await write(stdout, isJson ? effectiveSettingsJson(settings) : effectiveSettingsToml(settings))
    return EXIT.ok
  },
}
