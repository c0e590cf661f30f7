import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { unknownFlag } from '../config/command-line.js'
import { CHECK_SETTINGS } from '../config/directory-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import { flagOf } from '../config/setting.js'

/** The configuration of `logweir check`. */
export interface CheckConfig {
  /** The data directory. */
  directory: string
  repair: boolean
  format: 'text' | 'json'
}

/** Reads the configuration of `logweir check`. Throws `usage`. */
export function readCheckConfig(args: readonly string[], environment: Environment, warn?: Log): CheckConfig {
  const { values, extras } = readSettings(CHECK_SETTINGS, args, environment, { warn, allowsExtras: true })
  const [directory, extra] = extras.operands
  const [unknown] = extras.flags
  if (unknown !== undefined) throw unknownFlag(unknown[0], Object.keys(CHECK_SETTINGS).map(flagOf))
  if (directory === undefined) throw usageError('check which directory? logweir check DIRECTORY')
  if (extra !== undefined)
    throw usageError(`unexpected argument ${JSON.stringify(extra)}. Check one directory at a time.`)
  return { directory, repair: values.repair ?? false, format: values.format }
}
