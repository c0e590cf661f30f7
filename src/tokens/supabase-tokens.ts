import type { Log } from '../base/log.js'
import { SERVE_SETTINGS } from '../config/serve-settings.js'
import { FULL_ACCESS, INGEST_ACCESS } from './access.js'
import { plainTokens, type RegisteredToken } from './token-registry.js'
import { checkToken } from './token-syntax.js'

// The tokens that the files of a self-hosted Supabase give to the analytics service, to Vector and to Studio.

/** The texts of the tokens' variables. Undefined if a variable is not set. */
export interface SupabaseTokenSettings {
  /** Whether the tokens are valid. */
  supabase: boolean
  /** Opens the paths that accept records. */
  publicAccessToken?: string | undefined
  /** Opens all paths. */
  privateAccessToken?: string | undefined
}

const PUBLIC_VARIABLE = SERVE_SETTINGS.publicAccessToken.variableName
const PRIVATE_VARIABLE = SERVE_SETTINGS.privateAccessToken.variableName

/**
 * The values in the example files that Supabase publishes, the older value too (docker/.env.example, November 2026).
 */
const PUBLISHED = new Set([
  'your-super-secret-and-long-logflare-key-public',
  'your-super-secret-and-long-logflare-key-private',
  'your-super-secret-and-long-logflare-key',
])

/**
 * Returns the tokens, the private token last, or an empty list if no variable is set. Without `supabase`, returns an
 * empty list and logs a warning with the variables that are set. The texts are taken verbatim, since Vector and Studio
 * send the texts verbatim. Logs a single warning if some tokens have a published value. Throws `usage` if a token
 * cannot be sent in a header.
 */
export function readSupabaseTokens(settings: SupabaseTokenSettings, log: Log): RegisteredToken[] {
  const given = [
    { variable: PUBLIC_VARIABLE, token: settings.publicAccessToken, access: INGEST_ACCESS },
    { variable: PRIVATE_VARIABLE, token: settings.privateAccessToken, access: FULL_ACCESS },
  ].flatMap(({ token, ...others }) => (token === undefined ? [] : [{ token, ...others }]))
  if (!settings.supabase) {
    if (given.length > 0) warnOf(given, UNREAD, log)
    return []
  }
  for (const { token, variable } of given) checkToken(token, variable)
  const published = given.filter(({ token }) => PUBLISHED.has(token))
  if (published.length > 0) warnOf(published, PUBLISHED_VALUE, log)
  return given.flatMap(({ token, access }) => plainTokens([token], access))
}

/** A fault of variables: the code of the warning, and the text after the names of the variables. */
interface Fault {
  code: string
  text: string
}

const UNREAD: Fault = {
  code: 'unread_token',
  text: 'read only with --supabase (LOGWEIR_SUPABASE=true). The service does not accept this token.',
}

const PUBLISHED_VALUE: Fault = {
  code: 'published_token',
  text:
    'Supabase publishes this value in its example files, so everyone knows it. ' +
    'Set a random text, such as: openssl rand -hex 32',
}

function warnOf(given: readonly { variable: string }[], { code, text }: Fault, log: Log): void {
  const variables = given.map(({ variable }) => variable).join(' and ')
  log(`${variables}: ${text}`, { level: 'warn', code, variables })
}
