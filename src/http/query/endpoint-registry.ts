import type { Endpoint } from '../../endpoints/endpoint.js'
import { createBoundCalls } from './bound-calls.js'

/** An endpoint that can be asked, and how its calls are read. */
export interface RegisteredEndpoint {
  endpoint: Endpoint
  read: ReturnType<typeof createBoundCalls>
}

export interface EndpointRegistry {
  /** The endpoint of that name or id; undefined where there is none. */
  find(idOrName: string): RegisteredEndpoint | undefined
  /** Takes these in place of those of before, and gives those that have gone. */
  replace(endpoints: readonly Endpoint[]): readonly Endpoint[]
}

/**
 * The endpoints that can be asked, by name and id. An endpoint that stays keeps what is remembered of its calls; the calls of
 * a later one never share a key with those of an earlier one that had its id.
 */
export function createEndpointRegistry(endpoints: readonly Endpoint[]): EndpointRegistry {
  let byEndpoint = new Map<Endpoint, RegisteredEndpoint>()
  let byName = new Map<string, RegisteredEndpoint>()
  let byId = new Map<string, RegisteredEndpoint>()
  let replaced = 0

  function take(next: readonly Endpoint[]): void {
    const keyed = replaced === 0 ? '' : `${replaced} `
    const all = next.map(
      (endpoint) => byEndpoint.get(endpoint) ?? { endpoint, read: createBoundCalls(endpoint, keyed) },
    )
    byEndpoint = new Map(all.map((one) => [one.endpoint, one]))
    byName = new Map(all.map((one) => [one.endpoint.name, one]))
    byId = new Map(all.map((one) => [one.endpoint.id.toLowerCase(), one]))
  }

  take(endpoints)
  return {
    find: (idOrName) => byName.get(idOrName) ?? byId.get(idOrName.toLowerCase()),
    replace(next) {
      replaced += 1
      const before = [...byEndpoint.keys()]
      take(next)
      return before.filter((endpoint) => !byEndpoint.has(endpoint))
    },
  }
}
