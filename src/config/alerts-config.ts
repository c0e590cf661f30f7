import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import type { SourceName } from '../common/sources.js'
import { unknownFlag } from './command-line.js'
import { ALERTS_CHECK_SETTINGS } from './directory-settings.js'
import type { Environment } from './environment.js'
import { readSettings } from './read-settings.js'
import { flagOf } from './setting.js'

/** The configuration of `logweir alerts check`. */
export interface AlertsCheckConfig {
  /** The directory of rules. */
  directory: string
  sources: readonly SourceName[]
  /** The file of receivers. */
  receivers: string | undefined
  /** The directory of endpoints, with the views that rules may read. */
  endpoints: string | undefined
}

/** Reads the configuration of `logweir alerts check`. Throws `usage`. */
export function readAlertsCheckConfig(
  args: readonly string[],
  environment: Environment,
  warn?: Log,
): AlertsCheckConfig {
  const { values, extras } = readSettings(ALERTS_CHECK_SETTINGS, args, environment, { warn, allowsExtras: true })
  const [directory, extra] = extras.operands
  const [unknown] = extras.flags
  if (unknown !== undefined) throw unknownFlag(unknown[0], Object.keys(ALERTS_CHECK_SETTINGS).map(flagOf))
  if (directory === undefined) throw usageError('check which directory of rules? logweir alerts check DIRECTORY')
  if (extra !== undefined)
    throw usageError(`unexpected argument ${JSON.stringify(extra)}. Check one directory at a time.`)
  return { directory, sources: values.sources ?? [], receivers: values.receivers, endpoints: values.endpoints }
}
