import { readSettings } from './read-settings.js'
import type { ValuesOf } from './setting.js'
import { GENERATE_SETTINGS } from './settings.js'

/** The configuration of `logweir generate`. */
export type GenerateConfig = ValuesOf<typeof GENERATE_SETTINGS>

/** Reads the configuration of `logweir generate`, from flags only. Throws `usage`. */
export function readGenerateConfig(args: readonly string[]): GenerateConfig {
  return readSettings(GENERATE_SETTINGS, args, {}).values
}
