import type { Endpoint } from '../../endpoints/endpoint.js'
import { type Dialect, OWN_DIALECT } from '../reply/dialect.js'
import { alertingOperations } from './alerting-operations.js'
import { ERROR_SCHEMAS } from './answers.js'
import { CODES } from './codes.js'
import { deletionOperations } from './deletion-operations.js'
import { logsOperations, type Operations, otlpOperations, queryOperations, tailOperations } from './operations.js'
import { serviceOperations } from './service-operations.js'
import { usageOperations } from './usage-operations.js'
import { viewOperations } from './view-operations.js'

/** Facts about the service, besides its endpoints, that the description depends on. */
export interface DescriptionForm {
  dialect?: Dialect
  /** Whether requests and records that name no project have one: then no request has to name a project. */
  hasDefaultProject?: boolean
}

/** Returns the OpenAPI 3.1 description of the service as JSON, derived from the endpoints that check the requests. */
export function openApi(
  endpoints: readonly Endpoint[],
  version: string,
  nowUs: number,
  { dialect = OWN_DIALECT, hasDefaultProject = false }: DescriptionForm = {},
): string {
  const form = { dialect, hasDefaultProject }
  const queries = endpoints.map((endpoint): [string, Operations] => [
    `/api/endpoints/query/${endpoint.name}`,
    queryOperations(endpoint, nowUs, form),
  ])
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'logweir',
      version,
      description: `A hosted database's logs, asked stored questions. ${FAILURES[dialect.errorForm]}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }, { bearer: [] }],
    paths: {
      ...Object.fromEntries(queries),
      '/api/tail': tailOperations(form),
      '/api/logs': logsOperations(form),
      '/v1/logs': otlpOperations(form),
      ...serviceOperations(dialect),
      ...alertingOperations(dialect.errorForm),
      ...viewOperations(dialect.errorForm),
      ...deletionOperations(dialect.errorForm),
      ...usageOperations(dialect.errorForm),
    },
    components: {
      schemas: ERROR_SCHEMAS,
      'x-codes': CODES,
      parameters: {
        IfNoneMatch: header('If-None-Match', 'the ETag of an answer that the client has'),
        LastEventId: header('Last-Event-ID', 'with Accept: text/event-stream: continues after this event, if possible'),
        CacheControl: header('Cache-Control', 'no-cache: compute it again, and cache that'),
      },
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        bearer: { type: 'http', scheme: 'bearer' },
        ...(dialect.acceptsKeyInUrl && { keyInUrl: { type: 'apiKey', in: 'query', name: 'api_key' } }),
      },
    },
  })
}

const FAILURES = {
  flat: 'Every failure is JSON with `error` and `code`.',
  nested: 'Every failure is JSON with `error.message` and `error.code`, except of /v1/logs.',
} as const

const header = (name: string, description: string) => ({ name, in: 'header', description, schema: { type: 'string' } })
