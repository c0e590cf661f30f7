import { stateError, usageError } from '../base/failures.js'
import { readStoredToken, storedTokenPath } from '../tokens/stored-token.js'
import { unquote } from '../tokens/token-syntax.js'

/** The token that is sent to a service. */
export interface ServiceToken {
  token: string
  /** The token's origin, which ends the sentence "The service does not know the token …". */
  origin: string
  /** How the user can pass the right token. */
  remedy: string
}

const VARIABLE = 'LOGWEIR_TOKEN'
const PRINTED = `with --in-memory it is the token that serve printed, as in export ${VARIABLE}=…`

/** Returns the token of the variable or of a settings file. Throws `usage` if the token cannot be sent in a header. */
export function configuredToken(text: string, from = VARIABLE): ServiceToken {
  const token = unquote(text)
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(`${from} holds white space or a non-ASCII character, which no token does.`)
  }
  return { token, origin: `of ${from}`, remedy: 'Put one of its tokens there.' }
}

/**
 * Returns the token that a service on this machine has stored in `dataDir`. Throws `usage` if the service is on another
 * machine, `failed` if no token is stored yet.
 */
export function localToken(url: string, dataDir: string): ServiceToken {
  if (!isOnThisMachine(url)) throw usageError(`no access token for ${url}. Put one into the variable ${VARIABLE}.`)
  const token = readStoredToken(dataDir)
  if (token !== undefined)
    return { token, origin: `in ${storedTokenPath(dataDir)}`, remedy: otherServiceRemedy(dataDir) }
  throw stateError(
    `no access token: none is stored in ${dataDir}. Put one into the variable ${VARIABLE}: ${PRINTED}; ` +
      "or name the service's --data-dir.",
  )
}

/** Whether the service is on this machine. The stored token is not sent to others. */
function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** The stored token belongs to another service if this service has another directory, none, or configured tokens. */
const otherServiceRemedy = (dataDir: string) =>
  `That file belongs to a service with --data-dir ${dataDir}. ` +
  `Put a token of this one into the variable ${VARIABLE}: ${PRINTED}.`
