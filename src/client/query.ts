import { escapeControlInDocument } from '../base/escape-control.js'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { MIB } from '../base/units.js'
import type { ExtraArguments } from '../config/command-line.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import type { ValuesOf } from '../config/setting.js'
import { QUERY_SETTINGS } from '../config/settings.js'
import { describeEndpoints, findEndpoint, listEndpoints, parametersOf } from './endpoints.js'
import { ndjsonToDocument } from './envelope.js'
import { type Answer, connectService, type Service, ServiceError, textUpTo } from './service.js'
import { type Row, type TableOptions, table } from './table.js'

/** The configuration of `logweir query`. */
export interface QueryConfig extends ValuesOf<typeof QUERY_SETTINGS> {
  /** Undefined: list the endpoints. */
  endpoint: string | undefined
  /** The parameters of the endpoint, as flags with their dashes. */
  flags: ExtraArguments['flags']
  /** The variable or place in a file that contains the token; undefined if none is set. */
  tokenFrom: string | undefined
}

/** The output of a query. */
export interface QueryOut {
  /** Rejects with EPIPE if the reader has closed the pipe. */
  write(text: string | Uint8Array): Promise<void>
  /** Undefined: the output is not a terminal. */
  terminal: { columns: number; isPlain: boolean } | undefined
}

type Format = 'json' | 'ndjson' | 'csv'

const JSON_TYPE = 'application/json'

/** The media type that is requested for each format. JSON is made from NDJSON, which has one row per line. */
const TYPES: Record<Format, string> = {
  json: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
}

/** The longest answer that is shown as a table, which is built in memory. */
const MAX_TABLE_BYTES = 256 * MIB

const LINE_BREAK = 10

/** Reads the configuration of `logweir query`. Throws `usage`. */
export function readQuery(args: readonly string[], environment: Environment, warn: Log): QueryConfig {
  const { values, extras, found } = readSettings(QUERY_SETTINGS, args, environment, {
    warn,
    allowsExtras: true,
  })
  const [endpoint, extra] = extras.operands
  if (extra !== undefined) throw usageError(`unexpected argument ${JSON.stringify(extra)}. Try: logweir query --help`)
  if (endpoint === undefined && extras.flags.length > 0) {
    throw usageError(`which endpoint? logweir query ENDPOINT ${extras.flags[0]![0]} …; logweir query lists them.`)
  }
  if (values.columns !== undefined && (values.format ?? 'table') !== 'table') {
    throw usageError(`--columns is for tables, not for --format ${values.format}. Leave out one of the two.`)
  }
  return { ...values, endpoint, flags: extras.flags, tokenFrom: found.get('token')?.where }
}

/** Runs a query on a service and writes its answer. Rejects with a {@link ServiceError}, `usage`, or EPIPE. */
export async function runQuery(config: QueryConfig, out: QueryOut): Promise<void> {
  const { endpoint: name, flags, columns, wide = false } = config
  const service = connectService(config)
  const listed = await listEndpoints(service)
  if (name === undefined) return out.write(escapeControlInDocument(describeEndpoints(listed)))
  const endpoint = findEndpoint(listed, name)
  const path = `api/endpoints/query/${encodeURIComponent(name)}?${parametersOf(endpoint, flags)}`
  const format = formatOf(config, out)
  if (format !== 'table') return writeAnswer(await requestFormat(format, service, path), out)
  const rows = await rowsOf(await service.get(path, { Accept: JSON_TYPE }))
  await out.write(table(rows, widthOf(out.terminal, wide), columns))
}

/** Returns the format: a table on a terminal or if columns are chosen, else JSON. */
function formatOf({ format, columns }: QueryConfig, { terminal }: QueryOut): Format | 'table' {
  return format ?? (terminal === undefined && columns === undefined ? 'json' : 'table')
}

/**
 * Requests an answer in a format, and returns its bytes. An older service answers requests for NDJSON with JSON, which
 * is returned unchanged.
 */
async function requestFormat(
  format: Format,
  service: Service,
  path: string,
): Promise<AsyncIterable<Uint8Array | string>> {
  const answer = await service.get(path, { Accept: TYPES[format] })
  if (format === 'json' && answer.type === JSON_TYPE) return answer.body
  checkType(answer, TYPES[format], service.url)
  return format === 'json' ? ndjsonToDocument(answer.body) : answer.body
}

function widthOf(terminal: QueryOut['terminal'], isWide: boolean): TableOptions {
  const columns = isWide || terminal === undefined ? Number.POSITIVE_INFINITY : terminal.columns
  return { columns, isPlain: terminal?.isPlain ?? true }
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
    return (JSON.parse(await textUpTo(body, MAX_TABLE_BYTES)) as { result: Row[] }).result
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('the answer is not JSON.')
  }
}

/**
 * Writes an answer as it arrives: on a terminal with control characters escaped, elsewhere byte for byte. Adds a final
 * line break if the answer has none.
 */
async function writeAnswer(body: AsyncIterable<Uint8Array | string>, { write, terminal }: QueryOut): Promise<void> {
  const decoder = new TextDecoder()
  let last: string | number | undefined
  for await (const chunk of body) {
    last = chunk.at(-1) ?? last
    const text = () => (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    await write(terminal === undefined ? chunk : escapeControlInDocument(text()))
  }
  if (last !== undefined && last !== LINE_BREAK && last !== '\n') await write('\n')
}
