import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { escapeControlInDocument } from '../base/text/escape-control.js'
import { MIB } from '../base/units.js'
import { QUERY_SETTINGS } from '../config/client-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import type { ValuesOf } from '../config/setting.js'
import { type EndpointCall, readEndpointCall, requestOf } from './endpoint-call.js'
import { describeEndpoints, listEndpoints } from './endpoints.js'
import { ndjsonToDocument } from './envelope.js'
import { parseExact } from './exact-json.js'
import { withExcerpt } from './excerpt.js'
import { checkColumnsFlag, type Format, formatOf, type RowsOut, writeEncoded, writeTable } from './output.js'
import { type Answer, connectService, ServiceError, textUpTo } from './service.js'
import type { Row } from './table/table.js'

/** The configuration of `logweir query`. Without an endpoint it lists the endpoints. */
export interface QueryConfig extends Omit<ValuesOf<typeof QUERY_SETTINGS>, 'sql' | 'sqlFile'>, EndpointCall {}

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
  const result = readSettings(QUERY_SETTINGS, args, environment, { warn, allowsExtras: true })
  const { sqlFile: _, ...values } = result.values
  const call = readEndpointCall('query', result)
  if (call.endpoint === undefined && call.flags.length > 0) {
    throw usageError(`which endpoint? logweir query ENDPOINT ${call.flags[0][0]} …; logweir query lists them.`)
  }
  checkColumnsFlag(values)
  return { ...values, ...call }
}

/**
 * Runs a query on a service and writes the answer. Rejects with a {@link ServiceError}, `usage`, `failed` if the
 * service does not run SQL, or EPIPE.
 */
export async function runQuery(config: QueryConfig, out: RowsOut): Promise<void> {
  const { endpoint, sql } = config
  const service = connectService(config)
  const listed = await listEndpoints(service)
  if (endpoint === undefined) return out.write(escapeControlInDocument(describeEndpoints(listed)))
  const request = requestOf({ ...config, endpoint }, service, listed, QUERY_SETTINGS)
  const format = formatOf(config, out)
  try {
    const answer = await request({ Accept: format === 'table' ? JSON_TYPE : TYPES[format] })
    for (const warning of answer.warnings) out.warn?.(warning)
    if (format !== 'table') return await writeEncoded(inFormat(format, answer, service.url), out)
    await writeTable(await rowsOf(answer), config, out)
  } catch (error) {
    throw sql === undefined ? error : withExcerpt(error, sql, out.errorColumns)
  }
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

async function rowsOf({ body }: Answer): Promise<readonly Row[]> {
  try {
    const json = await textUpTo(body, MAX_TABLE_BYTES)
    return (parseExact(json) as { result: Row[] }).result
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('the answer is not JSON.')
  }
}
