import { LRUCache } from 'lru-cache'
import type { Call, Endpoint } from '../../endpoints/endpoint.js'
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

/**
 * Caches the calls of an endpoint by query string. Clients repeat calls, and compiling a pattern takes longer than the
 * rest of a cached answer. `keyPrefix` is put before each call's key, and separates the calls of an endpoint from the
 * calls of a replaced endpoint.
 */
export function createBoundCalls(endpoint: Endpoint, keyPrefix = ''): BoundCalls {
  const prefixed = <C extends Call>(call: C): C => (keyPrefix === '' ? call : { ...call, key: keyPrefix + call.key })
  const unbound = cached((params) => prefixed(endpoint.call(params)))
  const bound = cached((params) => prefixed(endpoint.callBound(params)))
  return (search, projects) => {
    if (projects === undefined) return unbound(search)
    const call = bound(search)
    if (!projects.has(call.project)) throw refusals.forbiddenProject()
    return call
  }
}

function cached<C extends Call>(read: (params: URLSearchParams) => C): (search: string) => C {
  const calls = new LRUCache<string, C>({
    max: CACHED_CALLS,
    maxSize: CACHED_CHARACTERS,
    maxEntrySize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_, search) => search.length + 1,
  })
  return (search) => {
    const hit = calls.get(search)
    if (hit !== undefined) return hit
    const call = read(new URLSearchParams(search))
    calls.set(search, call)
    return call
  }
}
