import { get } from './api.js'

/** A column of an answer. */
export interface Column {
  name: string
  /** The service's name of the kind of its values: `text`, `microseconds`, `datetime`, `count`, `double` and others. */
  kind: string
}

/** An endpoint of the service. */
export interface Endpoint {
  name: string
  parameters: readonly { name: string; required: boolean }[]
  /** In the order of the answer; none if the service does not know them. */
  columns: readonly Column[]
}

interface Operation {
  parameters: readonly { name?: string; in?: string; required?: boolean }[]
  responses: { 200: { content: { 'application/json': { schema: { properties: { result: { items: RowSchema } } } } } } }
}

interface RowSchema {
  properties?: Readonly<Record<string, { 'x-kind': string }>>
}

const PATH = '/api/endpoints/query/'

/** Returns whether the service runs queries in SQL, which `logs.all` then takes. Throws a Failure. */
export async function canRunSql(): Promise<boolean> {
  const { result } = (await (await get('api/endpoints', {})).json()) as {
    result: readonly { name: string; sandboxing: boolean }[]
  }
  return result.some(({ name, sandboxing }) => name === 'logs.all' && sandboxing)
}

/** Returns the endpoints, in the order of the service's OpenAPI description. Throws a Failure. */
export async function listEndpoints(signal: AbortSignal): Promise<Endpoint[]> {
  const { paths } = (await (await get('api/openapi.json', {}, signal)).json()) as {
    paths: Readonly<Record<string, { get: Operation }>>
  }
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(PATH))
    .map(([path, operations]) => endpointOf(path.slice(PATH.length), operations.get))
}

function endpointOf(name: string, { parameters, responses }: Operation): Endpoint {
  const { properties = {} } = responses[200].content['application/json'].schema.properties.result.items
  return {
    name,
    parameters: parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name = '', required = false }) => ({ name, required })),
    columns: Object.entries(properties).map(([column, schema]) => ({ name: column, kind: schema['x-kind'] })),
  }
}
