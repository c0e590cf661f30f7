import { harmlessDocument } from '../base/harmless.js'
import type { Log } from '../base/log.js'
import { type Environment, type Others, usageError, type ValuesOf } from '../base/settings.js'
import { MIB } from '../base/units.js'
import { readWithFile } from '../config.js'
import { QUERY_SETTINGS } from '../settings.js'
import { describeEndpoints, findEndpoint, listEndpoints, parametersOf } from './endpoints.js'
import { type Answer, connectService, ServiceError, textUpTo } from './service.js'
import { type Row, type TableOptions, table } from './table.js'

export interface QueryConfig extends ValuesOf<typeof QUERY_SETTINGS> {
  /** Undefined: to be told which there are. */
  endpoint: string | undefined
  /** Names with their dashes. */
  flags: Others['flags']
}

/** Where an answer goes. */
export interface QueryOut {
  /** Rejects with EPIPE where the reader has gone. */
  write(text: string | Uint8Array): Promise<void>
  /** Undefined: it is none. */
  terminal: { columns: number; isPlain: boolean } | undefined
}

type Format = 'json' | 'ndjson' | 'csv'

/** What is asked for each format, and what the answer then calls itself. */
const TYPES: Record<Format, string> = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' }

/** A table is held whole; what is longer is no reading matter. */
const MOST_TABLE_BYTES = 256 * MIB

const LINE_BREAK = 10

/** The configuration of `logweir query`. Throws `usage`. */
export function readQuery(args: readonly string[], environment: Environment, warn: Log): QueryConfig {
  const { values, others } = readWithFile(QUERY_SETTINGS, args, environment, { warn, takesOthers: true })
  const [endpoint, extra] = others.operands
  if (extra !== undefined) throw usageError(`unexpected argument ${JSON.stringify(extra)}. Try: logweir query --help`)
  if (endpoint === undefined && others.flags.length > 0) {
    throw usageError(`which endpoint? logweir query ENDPOINT ${others.flags[0]![0]} …; logweir query lists them.`)
  }
  return { ...values, endpoint, flags: others.flags }
}

/** Asks a service and writes its answer. Rejects with a {@link ServiceError}, `usage`, or EPIPE. */
export async function runQuery({ endpoint: name, flags, format, wide, ...address }: QueryConfig, out: QueryOut) {
  const service = connectService(address)
  const listed = await listEndpoints(service)
  if (name === undefined) return out.write(harmlessDocument(describeEndpoints(listed)))
  const endpoint = findEndpoint(listed, name)
  const path = `api/endpoints/query/${encodeURIComponent(name)}?${parametersOf(endpoint, flags)}`
  const wanted = format ?? (out.terminal === undefined ? 'json' : 'table')
  const type = TYPES[wanted === 'table' ? 'json' : wanted]
  const answer = await service.get(path, { Accept: type })
  checkType(answer, type, service.url)
  if (wanted !== 'table') return passOn(answer, out)
  await out.write(table(await rowsOf(answer), widthOf(out.terminal, wide ?? false)))
}

function widthOf(terminal: QueryOut['terminal'], isWide: boolean): TableOptions {
  const columns = isWide || terminal === undefined ? Number.POSITIVE_INFINITY : terminal.columns
  return { columns, isPlain: terminal?.isPlain ?? true }
}

function checkType({ type }: Answer, wanted: string, url: string): void {
  if (type === wanted) return
  throw new ServiceError(
    `${url} does not answer as ${wanted}, but as ${type || 'nothing known'}. Ask an older service with --format json or table.`,
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
async function passOn({ body }: Answer, { write, terminal }: QueryOut): Promise<void> {
  const decoder = new TextDecoder()
  let last: number | undefined
  for await (const chunk of body) {
    last = chunk.at(-1) ?? last
    await write(terminal === undefined ? chunk : harmlessDocument(decoder.decode(chunk, { stream: true })))
  }
  if (last !== undefined && last !== LINE_BREAK) await write('\n')
}
