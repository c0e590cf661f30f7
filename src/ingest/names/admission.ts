import { faultOfOwnName, MAX_OWN_SOURCES } from '../../common/own-source-names.js'
import { MAX_TOKEN_SOURCES, type SourceRefusal } from '../../common/source-refusals.js'
import {
  acceptsAnySource,
  findAcceptedSource,
  HISTORY_SOURCE,
  ownSourceCount,
  registerSource,
  type SourceName,
} from '../../common/sources.js'
import type { BoundToken, SourceNames } from './source-names.js'

/**
 * The sources that records make. The main thread alone decides, for all threads that parse: so two threads never
 * disagree, and there are never more sources than the limit.
 */

/** How many sources each bound token has made since the start. After a restart the names exist already. */
const madeBy = new Map<string, number>()

/** Returns whether records of a source are accepted, or would be after {@link admitSource}, or why not. */
function stateOfSource(name: SourceName, token: BoundToken): ReturnType<SourceNames['stateOf']> {
  if (name === HISTORY_SOURCE) return 'written_by_service'
  // Also the names of the nine, which count only if they are given exactly.
  if (faultOfOwnName(name) !== undefined) return acceptsAnySource() ? 'not_a_name' : 'not_configured'
  if (findAcceptedSource(name) !== undefined) return 'accepted'
  if (!acceptsAnySource()) return 'not_configured'
  if (ownSourceCount() >= MAX_OWN_SOURCES) return 'source_limit'
  return token !== undefined && (madeBy.get(token) ?? 0) >= MAX_TOKEN_SOURCES ? 'token_limit' : 'new'
}

/** Makes a source unless it exists. Returns the reason if its records are not accepted. */
export function admitSource(name: SourceName, token: BoundToken): SourceRefusal | undefined {
  const state = stateOfSource(name, token)
  if (state === 'accepted') return undefined
  if (state !== 'new') return state
  registerSource(name)
  if (token !== undefined) madeBy.set(token, (madeBy.get(token) ?? 0) + 1)
  return undefined
}

/** The names for a parser on the main thread. */
export const MAIN_THREAD_NAMES: SourceNames = {
  get acceptsAny() {
    return acceptsAnySource()
  },
  stateOf: stateOfSource,
  make: admitSource,
}
