import type { Endpoint } from '../../endpoints/endpoint.js'
import { ERROR_SCHEMAS } from './answers.js'
import {
  logsOperations,
  type Operations,
  otlpOperations,
  queryOperations,
  serviceOperations,
  tailOperations,
} from './operations.js'

/** Returns the OpenAPI 3.1 description of the service as JSON, derived from the endpoints that check its requests. */
export function openApi(endpoints: readonly Endpoint[], version: string, nowUs: number): string {
  const queries = endpoints.map((endpoint): [string, Operations] => [
    `/api/endpoints/query/${endpoint.name}`,
    queryOperations(endpoint, nowUs),
  ])
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'logweir',
      version,
      description: "A hosted database's logs, asked stored questions. Every failure is JSON with `error` and `code`.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }, { bearer: [] }],
    paths: {
      ...Object.fromEntries(queries),
      '/api/tail': tailOperations,
      '/api/logs': logsOperations,
      '/v1/logs': otlpOperations,
      ...serviceOperations,
    },
    components: {
      schemas: ERROR_SCHEMAS,
      parameters: {
        IfNoneMatch: header('If-None-Match', 'the ETag of an answer that the client has'),
        CacheControl: header('Cache-Control', 'no-cache: compute it again, and cache that'),
      },
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  })
}

const header = (name: string, description: string) => ({ name, in: 'header', description, schema: { type: 'string' } })
