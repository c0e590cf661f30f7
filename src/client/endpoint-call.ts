import { stateError, usageError } from '../base/failures.js'
import type { CALL_SETTINGS } from '../config/client-settings.js'
import type { ExtraArguments } from '../config/command-line.js'
import type { SettingsResult } from '../config/read-settings.js'
import type { Settings } from '../config/setting.js'
import { readSqlText } from '../config/sql-text.js'
import { findEndpoint, type ListedEndpoint, parametersOf } from './endpoints.js'
import type { Answer, Service } from './service.js'

/** The endpoint and the parameters that a command line names, as of `logweir query` and `logweir watch`. */
export interface EndpointCall {
  /** Undefined: none is named. */
  endpoint: string | undefined
  /** The parameters of the endpoint, as flags with their dashes, `--sql` included. */
  flags: ExtraArguments['flags']
  /** The query of the user's own. */
  sql: string | undefined
  /** The variable or place in a file that contains the token. Undefined if none is set. */
  tokenFrom: string | undefined
}

/** The endpoint that runs SQL, if the service allows that. */
const SQL_ENDPOINT = 'logs.all'

/**
 * Returns the call that the arguments of a command name. Throws `usage`, and `failed` if the file of `--sql-file` is
 * missing.
 */
export function readEndpointCall(
  command: string,
  { values, extras, found }: SettingsResult<typeof CALL_SETTINGS>,
): EndpointCall {
  const [named, extra] = extras.operands
  if (extra !== undefined)
    throw usageError(`unexpected argument ${JSON.stringify(extra)}. Try: logweir ${command} --help`)
  const sql = readSqlText(values.sql, values.sqlFile, '--sql')
  const endpoint = named ?? (sql === undefined ? undefined : SQL_ENDPOINT)
  const flags: ExtraArguments['flags'] = sql === undefined ? extras.flags : [...extras.flags, ['--sql', sql]]
  return { endpoint, flags, sql, tokenFrom: found.get('token')?.where }
}

/** Sends the request of an endpoint with its parameters. Rejects as {@link Service} does. */
export type EndpointRequest = (headers: Record<string, string>, signal?: AbortSignal) => Promise<Answer>

/** The parts of a call that {@link requestOf} reads. */
interface NamedCall extends Pick<EndpointCall, 'flags' | 'sql'> {
  endpoint: string
  /** The project of a variable or a file. */
  project: string | undefined
}

/**
 * Returns the request of a call to one of the endpoints that a service lists. `settings` are the flags of the command,
 * for messages. Throws `usage`, or `failed` if the service does not run SQL.
 */
export function requestOf(
  { endpoint: name, flags, sql, project }: NamedCall,
  service: Service,
  listed: readonly ListedEndpoint[],
  settings: Settings,
): EndpointRequest {
  const endpoint = findEndpoint(listed, name)
  if (sql !== undefined) refuseWithoutSql(endpoint, service)
  const parameters = parametersOf(endpoint, flags, settings)
  addDefaultProject(parameters, project, endpoint)
  const path = `api/endpoints/query/${encodeURIComponent(name)}`
  return (headers, signal) => service.query(path, parameters, headers, signal)
}

/** Adds the project of a variable or a file if the endpoint requires a project and no flag names a project. */
function addDefaultProject(given: URLSearchParams, project: string | undefined, { parameters }: ListedEndpoint): void {
  const isRequired = parameters.some(({ name, required }) => name === 'project' && required)
  if (project !== undefined && isRequired && !given.has('project')) given.set('project', project)
}

function refuseWithoutSql({ name, runsSql, parameters }: ListedEndpoint, { url }: Service): void {
  if (name === SQL_ENDPOINT && !runsSql)
    throw stateError(`the service at ${url} does not run SQL. Start it with --sql (LOGWEIR_SQL=true).`)
  if (!parameters.some((parameter) => parameter.name === 'sql'))
    throw usageError(`--sql is for ${SQL_ENDPOINT}, and not a parameter of ${name}. Leave out ${name}.`)
}
