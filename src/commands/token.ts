import type { Log } from '../base/log.js'
import { systemClock } from '../base/time/clock.js'
import { TOKEN_LIST_SETTINGS, TOKEN_PLACE_SETTINGS, TOKEN_SETTINGS } from '../config/directory-settings.js'
import type { Environment } from '../config/environment.js'
import type { Settings } from '../config/setting.js'
import {
  readTokenCreateConfig,
  readTokenListConfig,
  readTokenRevokeConfig,
  type TokenConfig,
} from '../config/token-config.js'
import { type Command, EXIT, write } from './call/command.js'

type ReadConfig = (args: readonly string[], environment: Environment, warn: Log) => TokenConfig

/** Returns a command `logweir token …`. The three differ only in their name and settings. */
function tokenCommand(
  about: Pick<Command, 'name' | 'operand' | 'meaning'>,
  settings: Settings,
  read: ReadConfig,
): Command {
  return {
    ...about,
    settings,
    async run(args, { environment, log, stdout }) {
      const config = read(args, environment, log)
      const { runTokenCommand } = await import('../tokens/command.js')
      await runTokenCommand(config, { print: (text) => write(stdout, text), log, clock: systemClock })
      return EXIT.ok
    },
  }
}

/** `logweir token create`: creates and prints a token. */
export const tokenCreate = tokenCommand(
  {
    name: 'token create',
    meaning: 'create an access token and print it once; a running service accepts it without a restart',
  },
  TOKEN_SETTINGS,
  readTokenCreateConfig,
)

/** `logweir token list`: lists the tokens without their secrets. */
export const tokenList = tokenCommand(
  { name: 'token list', meaning: 'list the tokens by name, scope and limits, never the tokens themselves' },
  TOKEN_LIST_SETTINGS,
  readTokenListConfig,
)

/** `logweir token revoke`: revokes a token by id or name. */
export const tokenRevoke = tokenCommand(
  { name: 'token revoke', operand: 'ID|NAME', meaning: 'revoke a token' },
  TOKEN_PLACE_SETTINGS,
  readTokenRevokeConfig,
)
