import { LogweirError } from '../../base/errors.js'
import { stateError } from '../../base/failures.js'

/** The server, database and user of a connection. Never with a password. */
export interface Place {
  /** Host and port. */
  server: string
  database: string
  user: string
}

/** The command can be repeated, since rows that are in the data directory are not imported again. */
const CONTINUE = 'Run the same command again: it continues where this one stopped.'
const IN_SUPABASE = 'A self-hosted Supabase has them in the database _supabase, older ones in the database postgres.'

/** Returns how to fix an error of PostgreSQL, by the SQLSTATE, or undefined if the text of the server has to do. */
const REMEDIES: Readonly<Record<string, (place: Place) => string>> = {
  '28P01': () => 'Check the password in the URL, in PGPASSWORD or in ~/.pgpass.',
  '28000': () => 'Check the user in the URL, and the rules in pg_hba.conf.',
  '3D000': () => `Name the database of Logflare's tables at the end of the URL. ${IN_SUPABASE}`,
  '42501': ({ user }) =>
    'Connect as the user that Logflare has (supabase_admin), or grant the rights: ' +
    `GRANT USAGE ON SCHEMA _analytics TO "${user}"; GRANT SELECT ON ALL TABLES IN SCHEMA _analytics TO "${user}".`,
}

/** Codes of errors without an answer of a server. */
const NO_ANSWER = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])
/** SQLSTATEs of a server that ends connections: class 57, and class 08 of lost connections. */
const CLOSING = /^(57P|08)/
const SQLSTATE = /^[0-9A-Z]{5}$/

const describe = ({ server, database, user }: Place) => `PostgreSQL at ${server}, database ${database}, user ${user}`

/** Returns the error about a failed attempt to connect. */
export function explainConnecting(error: unknown, place: Place): LogweirError {
  const { code = '', message } = error as { code?: string; message: string }
  if (NO_ANSWER.has(code) || /timeout|terminated/i.test(message)) {
    return stateError(
      `PostgreSQL at ${place.server} does not answer (${code || message}). Check host and port in the URL; ` +
        'a database in a container is only reached from its network, or through a published port.',
    )
  }
  // The client's own complaint if the server asks for a password and there is none.
  if (/password must be a string/.test(message)) {
    return stateError(`${describe(place)}: a password is needed. Set it in PGPASSWORD, ~/.pgpass or the URL.`)
  }
  // An error before the server has answered, such as a TLS error.
  if (!SQLSTATE.test(code)) {
    return stateError(`${describe(place)}: ${message || code}. Check the URL, and its sslmode if the server needs TLS.`)
  }
  return explainQuery(error, place)
}

/** Returns the error about a failed query. An error of logweir is returned unchanged. */
export function explainQuery(error: unknown, place: Place): LogweirError {
  if (error instanceof LogweirError) return error
  const { code = '', message } = error as { code?: string; message: string }
  const remedy = REMEDIES[code]?.(place)
  if (remedy !== undefined) return stateError(`${describe(place)}: ${message}. ${remedy}`)
  if (SQLSTATE.test(code) && !CLOSING.test(code)) return stateError(`${describe(place)}: ${message} (${code}).`)
  return stateError(`${describe(place)}: the connection was lost (${message || code}). ${CONTINUE}`)
}

/** Returns the error about a database without Logflare's table of sources. */
export const noSources = (schema: string, place: Place): LogweirError =>
  stateError(
    `${describe(place)}: there is no table "sources" in the schema "${schema}", so this is no database of Logflare. ` +
      `Name another database at the end of the URL, or another --schema. ${IN_SUPABASE}`,
  )
