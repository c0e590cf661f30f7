import { LRUCache } from 'lru-cache'
import type { Call, Endpoint } from '../../endpoints/endpoint.js'
import { refusals } from '../reply/errors.js'

/** Query strings that are remembered, and their characters together. */
const REMEMBERED = 1_000
const REMEMBERED_CHARACTERS = 1_000_000

/**
 * The endpoint's reading of a query string, remembered: callers repeat themselves, and to compile a pattern takes
 * longer than all the rest of an answer from the cache. With `projects` only calls of one of them are read. `keyed` goes
 * before each key, and keeps calls of an endpoint apart from those of one whose place it took. Throws as `endpoint.call`
 * and `callBound` do, each time anew, and `forbidden_project`.
 */
export function createBoundCalls(
  endpoint: Endpoint,
  keyed = '',
): (search: string, projects?: ReadonlySet<string>) => Call {
  const apart = <C extends Call>(call: C): C => (keyed === '' ? call : { ...call, key: keyed + call.key })
  const unbound = remember((given) => apart(endpoint.call(given)))
  const bound = remember((given) => apart(endpoint.callBound(given)))
  return (search, projects) => {
    if (projects === undefined) return unbound(search)
    const call = bound(search)
    if (!projects.has(call.project)) throw refusals.forbiddenProject()
    return call
  }
}

function remember<C extends Call>(read: (given: URLSearchParams) => C): (search: string) => C {
  const calls = new LRUCache<string, C>({
    max: REMEMBERED,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_, search) => search.length + 1,
  })
  return (search) => {
    const known = calls.get(search)
    if (known !== undefined) return known
    const call = read(new URLSearchParams(search))
    calls.set(search, call)
    return call
  }
}
