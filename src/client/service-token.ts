import { stateError, usageError } from '../base/failures.js'
import { readStoredToken, storedTokenPath } from '../tokens/stored-token.js'
import { unquote } from '../tokens/token-syntax.js'

/** The token that is sent to a service. */
export interface ServiceToken {
  token: string
  /** Where it comes from: ends the sentence "The service does not know the token …". */
  origin: string
  /** How to give the right one. */
  remedy: string
}

const VARIABLE = 'LOGWEIR_TOKEN'
const PRINTED = `with --in-memory it is the token that serve printed, as in export ${VARIABLE}=…`

/** A token that the caller gave, in the variable or in a file of settings. Throws `usage` if no header can carry it. */
export function configuredToken(text: string, from = VARIABLE): ServiceToken {
  const token = unquote(text)
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(`${from} holds white space or a non-ASCII character, which no token does.`)
  }
  return { token, origin: `of ${from}`, remedy: 'Put one of its tokens there.' }
}

/** The token that a service on this machine keeps. Throws `usage` if the service is elsewhere, `failed` if no token is kept yet. */
export function localToken(url: string, dataDir: string): ServiceToken {
  if (!isHere(url)) throw usageError(`no access token for ${url}. Put one into the variable ${VARIABLE}.`)
  const token = readStoredToken(dataDir)
  if (token !== undefined) return { token, origin: `in ${storedTokenPath(dataDir)}`, remedy: otherTokens(dataDir) }
  throw stateError(
    `no access token: none is stored in ${dataDir}. Put one into the variable ${VARIABLE}: ${PRINTED}; or name the service's --data-dir.`,
  )
}

/** The kept token opens a service on this machine, and is sent nowhere else. */
function isHere(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** The kept token is of another service if this one keeps nothing, keeps it elsewhere, or was given tokens. */
const otherTokens = (dataDir: string) =>
  `That file belongs to a service with --data-dir ${dataDir}. Put a token of this one into the variable ${VARIABLE}: ${PRINTED}.`
