import { DEMO_SETTINGS } from './generate-settings.js'
import { readSettings } from './read-settings.js'
import type { ValuesOf } from './setting.js'

/** The configuration of `logweir demo`. */
export type DemoConfig = ValuesOf<typeof DEMO_SETTINGS>

/**
 * Reads the configuration of `logweir demo`. Throws `usage`. The command has no variables, so none can be misspelt:
 * unlike other commands, it warns of none.
 */
export function readDemoConfig(args: readonly string[]): DemoConfig {
  return readSettings(DEMO_SETTINGS, args, {}).values
}
