import { LRUCache } from 'lru-cache'
import type { Call, Endpoint } from '../endpoints/endpoint.js'

/** Query strings that are remembered, and their characters together. */
const REMEMBERED = 1_000
const REMEMBERED_CHARACTERS = 1_000_000

/**
 * The endpoint's reading of a query string, remembered: callers repeat themselves, and to compile a pattern takes
 * longer than all the rest of an answer from the cache. Throws as `endpoint.call` does, each time anew.
 */
export function rememberCalls(endpoint: Endpoint): (search: string) => Call {
  const calls = new LRUCache<string, Call>({
    max: REMEMBERED,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_, search) => search.length + 1,
  })
  return (search) => {
    const known = calls.get(search)
    if (known !== undefined) return known
    const call = endpoint.call(new URLSearchParams(search))
    calls.set(search, call)
    return call
  }
}
