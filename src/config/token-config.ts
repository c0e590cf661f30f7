import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { TOKEN_LIST_SETTINGS, TOKEN_PLACE_SETTINGS, TOKEN_SETTINGS } from './directory-settings.js'
import type { Environment } from './environment.js'
import { readSettings } from './read-settings.js'
import type { Expiry, Rate } from './value-types.js'

interface TokensLocation {
  dataDir: string
  /** Undefined: `tokens.json` in `dataDir`. */
  tokensFile: string | undefined
}

/** The configuration of `logweir token create`. */
export interface TokenCreateConfig extends TokensLocation {
  name: string | undefined
  scope: readonly ('query' | 'ingest' | 'delete')[]
  /** Undefined: all projects. */
  project: readonly string[] | undefined
  /** Undefined: never. */
  expires: Expiry | undefined
  /** Undefined: no rate limit. */
  rate: Rate | undefined
}

/** The configuration of a command of `logweir token`. */
export type TokenConfig =
  | ({ action: 'create' } & TokenCreateConfig)
  | ({ action: 'list'; json: boolean } & TokensLocation)
  | ({ action: 'revoke'; idOrName: string } & TokensLocation)

/** Reads the configuration of `logweir token create`. Throws `usage`. */
export function readTokenCreateConfig(args: readonly string[], environment: Environment, warn?: Log): TokenConfig {
  const { config: _, ...values } = readSettings(TOKEN_SETTINGS, args, environment, { warn }).values
  return { action: 'create', ...values }
}

/** Reads the configuration of `logweir token list`. Throws `usage`. */
export function readTokenListConfig(args: readonly string[], environment: Environment, warn?: Log): TokenConfig {
  const { config: _, json, ...location } = readSettings(TOKEN_LIST_SETTINGS, args, environment, { warn }).values
  return { action: 'list', json: json ?? false, ...location }
}

/** Reads the configuration of `logweir token revoke`. Throws `usage`. */
export function readTokenRevokeConfig(args: readonly string[], environment: Environment, warn?: Log): TokenConfig {
  const [idOrName, ...flags] = args
  if (idOrName === undefined || idOrName.startsWith('-')) {
    throw usageError('revoke which token? Give its id or name: logweir token revoke NAME')
  }
  const { config: _, ...location } = readSettings(TOKEN_PLACE_SETTINGS, flags, environment, { warn }).values
  return { action: 'revoke', idOrName, ...location }
}
