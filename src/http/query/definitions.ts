import type { Endpoint } from '../../endpoints/endpoint.js'

/** An endpoint of the listing. Names and meaning of the fields are Logflare's. */
function definition({ id, name, query, maxRows, cache, params, sandboxing = false }: Endpoint) {
  return {
    id,
    name,
    query,
    max_rows: maxRows,
    caching: cache === 'disabled' ? cache : cache.ttlS,
    cache_warming: cache === 'disabled' ? null : cache.warmS,
    sandboxing,
    parameters: Object.entries(params).map(([parameter, { required, description }]) => ({
      name: parameter,
      required,
      description,
    })),
  }
}

/** Returns the JSON of GET /api/endpoints: `{"result":[definition, …]}`. */
export function definitions(endpoints: readonly Endpoint[]): string {
  return JSON.stringify({ result: endpoints.map(definition) })
}
