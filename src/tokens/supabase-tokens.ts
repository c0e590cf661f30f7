import type { Log } from '../base/log.js'
import { SERVE_SETTINGS } from '../config/settings.js'
import { FULL_ACCESS, INGEST_ACCESS } from './access.js'
import { plainTokens, type RegisteredToken } from './token-registry.js'
import { checkToken } from './token-syntax.js'

// The tokens that the files of a self-hosted Supabase give to its analytics service, to Vector and to Studio.

/** The texts of their variables; undefined if a variable is not set, or not read. */
export interface SupabaseTokenSettings {
  /** Opens the paths that accept records. */
  publicAccessToken?: string | undefined
  /** Opens all paths. */
  privateAccessToken?: string | undefined
}

const PUBLIC_VARIABLE = SERVE_SETTINGS.publicAccessToken.variableName
const PRIVATE_VARIABLE = SERVE_SETTINGS.privateAccessToken.variableName

/** The values in the example files that Supabase publishes, the older one too (docker/.env.example, November 2026). */
const PUBLISHED = new Set([
  'your-super-secret-and-long-logflare-key-public',
  'your-super-secret-and-long-logflare-key-private',
  'your-super-secret-and-long-logflare-key',
])

/**
 * Returns the tokens, the private one last; none if no variable is set. The texts are taken as they are, since Vector
 * and Studio send them so. Logs one warning if some have a published value. Throws `usage` if one cannot be sent in a
 * header.
 */
export function readSupabaseTokens(settings: SupabaseTokenSettings, log: Log): RegisteredToken[] {
  const given = [
    { variable: PUBLIC_VARIABLE, token: settings.publicAccessToken, access: INGEST_ACCESS },
    { variable: PRIVATE_VARIABLE, token: settings.privateAccessToken, access: FULL_ACCESS },
  ].flatMap(({ token, ...others }) => (token === undefined ? [] : [{ token, ...others }]))
  for (const { token, variable } of given) checkToken(token, variable)
  const published = given.filter(({ token }) => PUBLISHED.has(token)).map(({ variable }) => variable)
  if (published.length > 0) warnOfPublished(published, log)
  return given.flatMap(({ token, access }) => plainTokens([token], access))
}

function warnOfPublished(variables: readonly string[], log: Log): void {
  const names = variables.join(' and ')
  log(
    `${names}: Supabase publishes this value in its example files, so everyone knows it. ` +
      'Set a random text, such as: openssl rand -hex 32',
    { level: 'warn', code: 'published_token', variables: names },
  )
}
