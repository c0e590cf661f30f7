import { LRUCache } from 'lru-cache'
import type { Call, Endpoint, Given } from '../../endpoints/endpoint.js'
import { projectForNone } from '../../tokens/access.js'
import { refusals } from '../reply/errors.js'

/**
 * Limits of a cache: query strings, all characters, and characters of a query string. POST allows longer query strings.
 */
const CACHED_CALLS = 1_000
const CACHED_CHARACTERS = 1_000_000
const MAX_CACHED_CHARACTERS = 65_536

/**
 * Returns the call of a query string. With `projects`, throws `forbidden_project` for a call of another project. Throws
 * the errors of `endpoint.call` and `endpoint.callBound`, which are not cached.
 */
export type BoundCalls = (search: string, projects?: ReadonlySet<string>) => Call

interface BoundCallsOptions {
  /** Put before each call's key, and separates the calls of an endpoint from the calls of a replaced endpoint. */
  keyPrefix?: string
  /** The project of query strings that name none. See {@link projectForNone}. */
  defaultProject?: string | undefined
}

/**
 * Caches the calls of an endpoint by query string. Clients repeat calls, and compiling a pattern takes longer than the
 * rest of a cached answer.
 */
export function createBoundCalls(
  endpoint: Endpoint,
  { keyPrefix = '', defaultProject }: BoundCallsOptions = {},
): BoundCalls {
  const prefixed = <C extends Call>(call: C): C => (keyPrefix === '' ? call : { ...call, key: keyPrefix + call.key })
  const unbound = cached((given) => prefixed(endpoint.call(given)))
  const bound = cached((given) => prefixed(endpoint.callBound(given)))
  return (search, projects) => {
    if (projects === undefined) return unbound(search, defaultProject)
    const call = bound(search, projectForNone(projects, defaultProject))
    if (!projects.has(call.project)) throw refusals.forbiddenProject()
    return call
  }
}

/** Tokens have different default projects, so that equal query strings may be different calls. */
function cached<C extends Call>(read: (given: Given) => C): (search: string, defaultProject: string | undefined) => C {
  // Made for the first call, since a cache allocates the room of all its entries, and most endpoints are never called.
  let calls: LRUCache<string, C> | undefined
  return (search, defaultProject) => {
    const key = defaultProject === undefined ? search : `${search}\n${defaultProject}`
    calls ??= createCallCache<C>()
    const hit = calls.get(key)
    if (hit !== undefined) return hit
    const call = read(givenIn(search, defaultProject))
    calls.set(key, call)
    return call
  }
}

const createCallCache = <C extends Call>() =>
  new LRUCache<string, C>({
    max: CACHED_CALLS,
    maxSize: CACHED_CHARACTERS,
    maxEntrySize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_, key) => key.length + 1,
  })

function givenIn(search: string, defaultProject: string | undefined): Given {
  return Object.assign(new URLSearchParams(search), { defaultProject })
}
