import type { Clock } from '../base/clock.js'
import { LogweirError } from '../base/errors.js'
import { fileVersion } from '../base/file-version.js'
import type { Log } from '../base/log.js'
import type { Access } from './access.js'
import { generateToken, readStoredToken } from './stored-token.js'
import { createTokenRegistry, plainTokens } from './token-registry.js'
import { parseTokensVariable } from './token-syntax.js'
import { tokensFilePath } from './tokens-file.js'
import { type WatchedTokensFile, watchTokensFile } from './watch-file.js'

/** Which tokens open the service (CONTRACT: authentication). Nothing here writes a token to a log. */

export interface TokenSettings {
  /** As {@link parseTokensVariable} reads them. */
  accessTokens: string | undefined
  tokensFile: string | undefined
  dataDir: string | undefined
}

export interface Tokens {
  /** What the token with this SHA-256 opens; undefined where there is no such token, or no longer. */
  accessOf(digest: Uint8Array): Access | undefined
  /** The token that was made just now, because none was configured and none kept; to be shown once. */
  made: string | undefined
  /** Looks no more for changes. */
  close(): void
}

/**
 * The tokens of the variable and of the file together, which is the one in the data directory where none is named. Where
 * none is configured the one kept in the data directory opens too; and where there is none at all, a new one. Throws
 * `usage` if no header can carry a token, `failed` if a file cannot be read, and `tokens_unavailable` if the named file is not
 * there or holds no token yet.
 */
export function loadTokens(settings: TokenSettings, parts: { clock: Clock; log: Log }): Tokens {
  const { accessTokens, dataDir } = settings
  const registry = createTokenRegistry(parts.clock)
  const named = accessTokens === undefined ? [] : parseTokensVariable(accessTokens, 'LOGWEIR_ACCESS_TOKENS')
  const file = openFile(settings, parts, refresh)
  const inFile = file?.tokens.length ?? 0
  const isConfigured = named.length > 0 || (settings.tokensFile !== undefined && inFile > 0)
  const kept = isConfigured || dataDir === undefined ? undefined : readStoredToken(dataDir)
  const made = isConfigured || kept !== undefined || inFile > 0 ? undefined : generateToken()
  const lasting = plainTokens([...named, ...[kept ?? made].filter((token) => token !== undefined)])

  function refresh(): void {
    registry.replace([...(file?.tokens ?? []), ...lasting])
  }

  refresh()
  return { accessOf: registry.accessOf, made, close: () => file?.close() }
}

function openFile(
  { tokensFile, dataDir }: TokenSettings,
  parts: { clock: Clock; log: Log },
  onChange: () => void,
): WatchedTokensFile | undefined {
  if (tokensFile !== undefined && fileVersion(tokensFile) === undefined) {
    throw new LogweirError(
      'tokens_unavailable',
      `there is no tokens file ${tokensFile}. Create one: logweir token create --tokens-file ${tokensFile}`,
    )
  }
  const path = tokensFile ?? (dataDir === undefined ? undefined : tokensFilePath(dataDir))
  return path === undefined ? undefined : watchTokensFile(path, parts, onChange)
}
