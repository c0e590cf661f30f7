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
import { enveloped } from './envelope.js'
import { type Answer, connectService, type Service, ServiceError, textUpTo } from './service.js'
import { type Row, type TableOptions, table } from './table.js'

export interface QueryConfig extends ValuesOf<typeof QUERY_SETTINGS> {
  /** Undefined: to be told which there are. */
  endpoint: string | undefined
  /** Names with their dashes. */
  flags: ExtraArguments['flags']
  /** Where the token was found; undefined if none was given. */
  tokenFrom: string | undefined
}

/** Where an answer goes. */
export interface QueryOut {
  /** Rejects with EPIPE where the reader has gone. */
  write(text: string | Uint8Array): Promise<void>
  /** Undefined: it is none. */
  terminal: { columns: number; isPlain: boolean } | undefined
}

type Format = 'json' | 'ndjson' | 'csv'

const JSON_TYPE = 'application/json'

/** The media type that is requested for each format. JSON is made of NDJSON, whose rows are on lines of their own. */
const TYPES: Record<Format, string> = {
  json: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
}

/** A table is held whole; what is longer is no reading matter. */
const MOST_TABLE_BYTES = 256 * MIB

const LINE_BREAK = 10

/** The configuration of `logweir query`. Throws `usage`. */
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

/** Asks a service and writes its answer. Rejects with a {@link ServiceError}, `usage`, or EPIPE. */
export async function runQuery(config: QueryConfig, out: QueryOut): Promise<void> {
  const { endpoint: name, flags, columns, wide = false } = config
  const service = connectService(config)
  const listed = await listEndpoints(service)
  if (name === undefined) return out.write(escapeControlInDocument(describeEndpoints(listed)))
  const endpoint = findEndpoint(listed, name)
  const path = `api/endpoints/query/${encodeURIComponent(name)}?${parametersOf(endpoint, flags)}`
  const format = formatOf(config, out)
  if (format !== 'table') return passOn(await askFor(format, service, path), out)
  const rows = await rowsOf(await service.get(path, { Accept: JSON_TYPE }))
  await out.write(table(rows, widthOf(out.terminal, wide), columns))
}

/** A table for people, and for callers who choose columns; else JSON. */
function formatOf({ format, columns }: QueryConfig, { terminal }: QueryOut): Format | 'table' {
  return format ?? (terminal === undefined && columns === undefined ? 'json' : 'table')
}

/** The answer's bytes in that format. An older service answers requests for NDJSON with JSON, which is left as it is. */
async function askFor(format: Format, service: Service, path: string): Promise<AsyncIterable<Uint8Array | string>> {
  const answer = await service.get(path, { Accept: TYPES[format] })
  if (format === 'json' && answer.type === JSON_TYPE) return answer.body
  checkType(answer, TYPES[format], service.url)
  return format === 'json' ? enveloped(answer.body) : answer.body
}

function widthOf(terminal: QueryOut['terminal'], isWide: boolean): TableOptions {
  const columns = isWide || terminal === undefined ? Number.POSITIVE_INFINITY : terminal.columns
  return { columns, isPlain: terminal?.isPlain ?? true }
}

function checkType({ type }: Answer, wanted: string, url: string): void {
  if (type === wanted) return
  throw new ServiceError(
    `${url} answers with the media type ${type || '(none)'} instead of ${wanted}. For an older service use --format json or table.`,
  )
}

async function rowsOf({ body }: Answer): Promise<readonly Row[]> {
  try {
    return (JSON.parse(await textUpTo(body, MOST_TABLE_BYTES)) as { result: Row[] }).result
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('the answer is not JSON.')
  }
}

/** Writes an answer as it comes: to a terminal without what could drive it, elsewhere byte for byte. Ends with a line break. */
async function passOn(body: AsyncIterable<Uint8Array | string>, { write, terminal }: QueryOut): Promise<void> {
  const decoder = new TextDecoder()
  let last: string | number | undefined
  for await (const chunk of body) {
    last = chunk.at(-1) ?? last
    const text = () => (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    await write(terminal === undefined ? chunk : escapeControlInDocument(text()))
  }
  if (last !== undefined && last !== LINE_BREAK && last !== '\n') await write('\n')
}
