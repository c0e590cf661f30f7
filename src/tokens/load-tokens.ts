import { LogweirError } from '../base/errors.js'
import { fileVersion } from '../base/files/file-version.js'
import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import type { Access } from './access.js'
import { generateToken, readStoredToken } from './stored-token.js'
import { readSupabaseTokens, type SupabaseTokenSettings } from './supabase-tokens.js'
import { createTokenRegistry, plainTokens } from './token-registry.js'
import { parseTokensVariable } from './token-syntax.js'
import { tokensFilePath } from './tokens-file.js'
import { removeDeadUpdate } from './update-file.js'
import { type WatchedTokensFile, watchTokensFile } from './watch-file.js'

// The tokens that the service accepts (specification: authentication). No token is logged here.

/** The settings that determine the tokens. */
export interface TokenSettings extends SupabaseTokenSettings {
  /** The text of the variable, see {@link parseTokensVariable}. */
  accessTokens: string | undefined
  tokensFile: string | undefined
  dataDir: string | undefined
}

/** The accepted tokens, kept up to date with the tokens file. */
export interface Tokens {
  /** Returns the access of the token with this SHA-256, or undefined if the token is unknown or has expired. */
  accessOf(digest: Uint8Array): Access | undefined
  /** The token that was generated because no token is configured or stored. The caller shows and stores the token. */
  made: string | undefined
  /** Stops watching the tokens file. */
  close(): void
}

/**
 * Loads the tokens of the variables and of the tokens file. If no file is named, the tokens file is the file in the
 * data directory. If no token is configured, the token stored in the data directory is valid too. If there is no token
 * at all, a new token is generated. Throws `usage` if a token cannot be sent in a header, `failed` if a file cannot be
 * read, and `tokens_unavailable` if the named file is missing or contains no token yet.
 */
export function loadTokens(settings: TokenSettings, context: { clock: Clock; log: Log }): Tokens {
  const { accessTokens, dataDir } = settings
  const registry = createTokenRegistry(context.clock)
  const ofSupabase = readSupabaseTokens(settings, context.log)
  const ofVariable = accessTokens === undefined ? [] : parseTokensVariable(accessTokens, 'LOGWEIR_ACCESS_TOKENS')
  const file = openFile(settings, context, refresh)
  const countInFile = file?.tokens.length ?? 0
  const countInVariables = ofSupabase.length + ofVariable.length
  const isConfigured = countInVariables > 0 || (settings.tokensFile !== undefined && countInFile > 0)
  const stored = isConfigured || dataDir === undefined ? undefined : readStoredToken(dataDir)
  const made = isConfigured || stored !== undefined || countInFile > 0 ? undefined : generateToken()
  const others = plainTokens([...ofVariable, ...[stored ?? made].filter((token) => token !== undefined)])

  // The last of equal tokens counts, so the other settings decide the access of a token of Supabase.
  const tokens = () => [...ofSupabase, ...(file?.tokens ?? []), ...others]

  function refresh(): void {
    registry.replace(tokens())
  }

  refresh()
  if (!tokens().some(({ access }) => access.scopes.has('query'))) warnOfNoQueries(context.log)
  return { accessOf: registry.accessOf, made, close: () => file?.close() }
}

function warnOfNoQueries(log: Log): void {
  log(
    'No access token can query: all of them only send records. Set LOGFLARE_PRIVATE_ACCESS_TOKEN with --supabase, ' +
      'or create one: logweir token create --scope query',
    { level: 'warn', code: 'no_query_token' },
  )
}

function openFile(
  { tokensFile, dataDir }: TokenSettings,
  context: { clock: Clock; log: Log },
  onChange: () => void,
): WatchedTokensFile | undefined {
  if (tokensFile !== undefined && fileVersion(tokensFile) === undefined) {
    throw new LogweirError(
      'tokens_unavailable',
      `there is no tokens file ${tokensFile}. Create one: logweir token create --tokens-file ${tokensFile}`,
    )
  }
  const path = tokensFile ?? (dataDir === undefined ? undefined : tokensFilePath(dataDir))
  if (path === undefined) return undefined
  // Only in the data directory: this process may not be allowed to write in the directory of another file.
  if (tokensFile === undefined) removeDeadUpdate(path)
  return watchTokensFile(path, context, onChange)
}
