import { stateError, usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { escapeControlInDocument } from '../base/text/escape-control.js'
import { quoteLongIntegers } from '../base/text/long-integers.js'
import { MIB } from '../base/units.js'
import type { ExtraArguments } from '../config/command-line.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import type { ValuesOf } from '../config/setting.js'
import { QUERY_SETTINGS } from '../config/settings.js'
import { readSqlText } from '../config/sql-text.js'
import { describeEndpoints, findEndpoint, type ListedEndpoint, listEndpoints, parametersOf } from './endpoints.js'
import { ndjsonToDocument } from './envelope.js'
import { withExcerpt } from './excerpt.js'
import { checkColumnsFlag, type Format, formatOf, type RowsOut, writeEncoded, writeTable } from './output.js'
import { type Answer, connectService, type Service, ServiceError, textUpTo } from './service.js'
import type { Row } from './table.js'

/** The configuration of `logweir query`. */
export interface QueryConfig extends Omit<ValuesOf<typeof QUERY_SETTINGS>, 'sqlFile'> {
  /** Undefined: list the endpoints. */
  endpoint: string | undefined
  /** The parameters of the endpoint, as flags with their dashes, `--sql` included. */
  flags: ExtraArguments['flags']
  /** The variable or place in a file that contains the token. Undefined if none is set. */
  tokenFrom: string | undefined
}

/** The endpoint that runs SQL, if the service allows that. */
const SQL_ENDPOINT = 'logs.all'

const JSON_TYPE = 'application/json'

/** The media type that is requested for each format. JSON is made from NDJSON, which has a row per line. */
const TYPES: Record<Format, string> = {
  json: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
}

/** The longest answer that is shown as a table, which is built in memory. */
const MAX_TABLE_BYTES = 256 * MIB

/** Reads the configuration of `logweir query`. Throws `usage`, and `failed` if the file of `--sql-file` is missing. */
export function readQuery(args: readonly string[], environment: Environment, warn: Log): QueryConfig {
  const { values, extras, found } = readSettings(QUERY_SETTINGS, args, environment, {
    warn,
    allowsExtras: true,
  })
  const { sqlFile, ...others } = values
  const [named, extra] = extras.operands
  if (extra !== undefined) throw usageError(`unexpected argument ${JSON.stringify(extra)}. Try: logweir query --help`)
  const sql = readSqlText(values.sql, sqlFile, '--sql')
  const endpoint = named ?? (sql === undefined ? undefined : SQL_ENDPOINT)
  if (endpoint === undefined && extras.flags.length > 0) {
    throw usageError(`which endpoint? logweir query ENDPOINT ${extras.flags[0][0]} …; logweir query lists them.`)
  }
  checkColumnsFlag(values)
  const flags: ExtraArguments['flags'] = sql === undefined ? extras.flags : [...extras.flags, ['--sql', sql]]
  return { ...others, sql, endpoint, flags, tokenFrom: found.get('token')?.where }
}

/**
 * Runs a query on a service and writes the answer. Rejects with a {@link ServiceError}, `usage`, `failed` if the
 * service does not run SQL, or EPIPE.
 */
export async function runQuery(config: QueryConfig, out: RowsOut): Promise<void> {
  const { endpoint: name, sql } = config
  const service = connectService(config)
  const listed = await listEndpoints(service)
  if (name === undefined) return out.write(escapeControlInDocument(describeEndpoints(listed)))
  const endpoint = findEndpoint(listed, name)
  if (sql !== undefined) refuseWithoutSql(endpoint, service)
  const parameters = parametersOf(endpoint, config.flags)
  addDefaultProject(parameters, config, endpoint)
  const path = `api/endpoints/query/${encodeURIComponent(name)}`
  const ask = (type: string) => service.query(path, parameters, { Accept: type })
  const format = formatOf(config, out)
  try {
    const answer = await ask(format === 'table' ? JSON_TYPE : TYPES[format])
    for (const warning of answer.warnings) out.warn?.(warning)
    if (format !== 'table') return await writeEncoded(inFormat(format, answer, service.url), out)
    await writeTable(await rowsOf(answer), config, out)
  } catch (error) {
    throw sql === undefined ? error : withExcerpt(error, sql, out.errorColumns)
  }
}

/** Adds the project of a variable or a file if the endpoint requires a project and no flag names a project. */
function addDefaultProject(given: URLSearchParams, { project }: QueryConfig, { parameters }: ListedEndpoint): void {
  const isRequired = parameters.some(({ name, required }) => name === 'project' && required)
  if (project !== undefined && isRequired && !given.has('project')) given.set('project', project)
}

function refuseWithoutSql({ name, runsSql, parameters }: ListedEndpoint, { url }: Service): void {
  if (name === SQL_ENDPOINT && !runsSql)
    throw stateError(`the service at ${url} does not run SQL. Start it with --sql (LOGWEIR_SQL=true).`)
  if (!parameters.some((parameter) => parameter.name === 'sql'))
    throw usageError(`--sql is for ${SQL_ENDPOINT}, and not a parameter of ${name}. Leave out ${name}.`)
}

/**
 * Returns the bytes of an answer in a format. An older service answers requests for NDJSON with JSON, which is returned
 * unchanged.
 */
function inFormat(format: Format, answer: Answer, url: string): AsyncIterable<Uint8Array | string> {
  if (format === 'json' && answer.type === JSON_TYPE) return answer.body
  checkType(answer, TYPES[format], url)
  return format === 'json' ? ndjsonToDocument(answer.body) : answer.body
}

function checkType({ type }: Answer, wanted: string, url: string): void {
  if (type === wanted) return
  throw new ServiceError(
    `${url} answers with the media type ${type || '(none)'} instead of ${wanted}. ` +
      'For an older service use --format json or table.',
  )
}

/** Whether a double does not hold an integer: the table shows the digits as a text. */
const isUnsafe = (digits: string) => !Number.isSafeInteger(Number(digits))

async function rowsOf({ body }: Answer): Promise<readonly Row[]> {
  try {
    const json = await textUpTo(body, MAX_TABLE_BYTES)
    return (JSON.parse(quoteLongIntegers(json, isUnsafe)) as { result: Row[] }).result
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('the answer is not JSON.')
  }
}
