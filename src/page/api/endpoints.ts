/** The endpoints of the service. */
import { QUERY_PATH } from '../../common/query-path.js'
import { get } from './api.js'
import {
  type Description,
  fetchDescription,
  type Operation,
  type Parameter,
  parametersOf,
  type RowLimits,
  type RowSchema,
} from './description.js'

/** A column of an answer. */
export interface Column {
  name: string
  /** The service's name of the kind of the values: `text`, `microseconds`, `datetime`, `count`, `double` and others. */
  kind: string
}

/** A stored query. */
export interface Endpoint {
  name: string
  /** A line about the rows. */
  summary: string
  description: string
  /** Whether the owner of the service added the endpoint. */
  isOwn: boolean
  /** The parameters in the query, without headers. */
  parameters: readonly Parameter[]
  /** In the order of the answer, or empty if the service does not know the columns. */
  columns: readonly Column[]
  rows: RowLimits | undefined
}

/** Returns whether the service runs queries in SQL, which `logs.all` then takes. Throws a Failure. */
export async function canRunSql(signal: AbortSignal): Promise<boolean> {
  const { result } = (await (await get('api/endpoints', {}, signal)).json()) as {
    result: readonly { name: string; sandboxing: boolean }[]
  }
  return result.some(({ name, sandboxing }) => name === 'logs.all' && sandboxing)
}

/** Returns the endpoints of the service, in the order of its OpenAPI description. Throws a Failure. */
export async function listEndpoints(signal: AbortSignal): Promise<Endpoint[]> {
  return endpointsIn(await fetchDescription(signal))
}

/** Returns the endpoints of a description, in order. */
export function endpointsIn(description: Description): Endpoint[] {
  return Object.entries(description.paths)
    .filter(([path]) => path.startsWith(QUERY_PATH))
    .map(([path, operations]) => endpointOf(path.slice(QUERY_PATH.length), operations.get!, description))
}

function endpointOf(name: string, operation: Operation, whole: Description): Endpoint {
  const { summary, description = '', tags, responses } = operation
  const { result } = responses[200].content!['application/json'].schema.properties!
  const { properties = {} }: RowSchema = result!.items
  return {
    name,
    summary,
    description,
    isOwn: tags.includes('own'),
    parameters: parametersOf(operation, whole).filter((parameter) => parameter.in === 'query'),
    columns: Object.entries(properties).map(([column, schema]) => ({ name: column, kind: schema['x-kind'] })),
    rows: operation['x-rows'],
  }
}
