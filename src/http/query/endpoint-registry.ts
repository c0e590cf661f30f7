import type { Endpoint } from '../../endpoints/endpoint.js'
import { type BoundCalls, createBoundCalls } from './bound-calls.js'

/** An endpoint that is served, and the calls of the endpoint. */
export interface RegisteredEndpoint {
  endpoint: Endpoint
  callOf: BoundCalls
}

/** The endpoints that are served, by name and id. */
export interface EndpointRegistry {
  /** Returns the endpoint of a name or id, or undefined if there is no such endpoint. */
  find(idOrName: string): RegisteredEndpoint | undefined
  /** Replaces all endpoints. Returns the removed endpoints. */
  replace(endpoints: readonly Endpoint[]): readonly Endpoint[]
}

/**
 * Registers endpoints. An endpoint that a replacement keeps also keeps the cached calls. A new endpoint's calls never
 * share a key with calls of an earlier endpoint of the same id. `defaultProject`: see {@link createBoundCalls}.
 */
export function createEndpointRegistry(endpoints: readonly Endpoint[], defaultProject?: string): EndpointRegistry {
  let byEndpoint = new Map<Endpoint, RegisteredEndpoint>()
  let byName = new Map<string, RegisteredEndpoint>()
  let byId = new Map<string, RegisteredEndpoint>()
  let replacements = 0

  function register(next: readonly Endpoint[]): void {
    const keyPrefix = replacements === 0 ? '' : `${replacements} `
    const all = next.map(
      (endpoint) =>
        byEndpoint.get(endpoint) ?? { endpoint, callOf: createBoundCalls(endpoint, { keyPrefix, defaultProject }) },
    )
    byEndpoint = new Map(all.map((one) => [one.endpoint, one]))
    byName = new Map(all.map((one) => [one.endpoint.name, one]))
    byId = new Map(all.map((one) => [one.endpoint.id.toLowerCase(), one]))
  }

  register(endpoints)
  return {
    find: (idOrName) => byName.get(idOrName) ?? byId.get(idOrName.toLowerCase()),
    replace(next) {
      replacements += 1
      const before = [...byEndpoint.keys()]
      register(next)
      return before.filter((endpoint) => !byEndpoint.has(endpoint))
    },
  }
}
