import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import type { ServiceAddress } from '../client/service.js'
import { VIEWS_SETTINGS } from '../config/client-settings.js'
import { VIEWS_DROP_SETTINGS } from '../config/directory-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'

/** The configuration of `logweir views`. */
export interface ViewsConfig extends ServiceAddress {
  /** Whether the views are those of a stopped service, in `dataDir`. */
  isStopped: boolean
  isJson: boolean
}

/** Reads the configuration of `logweir views`. Throws `usage`. */
export function readViewsConfig(args: readonly string[], environment: Environment, warn?: Log): ViewsConfig {
  const { values, found } = readSettings(VIEWS_SETTINGS, args, environment, { warn })
  const { config: _, json = false, ...address } = values
  const isFlag = (name: 'url' | 'dataDir') => found.get(name)?.origin === 'flag'
  return { ...address, token: address.token, isJson: json, isStopped: isFlag('dataDir') && !isFlag('url') }
}

/** The configuration of `logweir views drop`. */
export interface DropConfig {
  name: string
  dataDir: string
}

/** Reads the configuration of `logweir views drop`. Throws `usage`, also without `--yes`. */
export function readDropConfig(args: readonly string[], environment: Environment, warn?: Log): DropConfig {
  const [name, ...flags] = args
  if (name === undefined || name.startsWith('-'))
    throw usageError('drop which view? Give its name, as logweir views lists it: logweir views drop NAME --yes')
  const { dataDir, yes } = readSettings(VIEWS_DROP_SETTINGS, flags, environment, { warn }).values
  if (!yes)
    throw usageError(
      `views drop deletes all groups of ${name} for good, also those whose rows are gone. Add --yes to do that.`,
    )
  return { name, dataDir }
}
