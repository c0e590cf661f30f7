import type { Log } from '../base/log.js'
import type { Environment } from './environment.js'
import { GENERATE_SETTINGS } from './generate-settings.js'
import { readSettings } from './read-settings.js'
import type { ValuesOf } from './setting.js'

/** The configuration of `logweir generate`. */
export type GenerateConfig = ValuesOf<typeof GENERATE_SETTINGS>

/** Reads the configuration of `logweir generate`. Throws `usage`. */
export function readGenerateConfig(args: readonly string[], environment: Environment = {}, warn?: Log): GenerateConfig {
  return readSettings(GENERATE_SETTINGS, args, environment, { warn }).values
}
