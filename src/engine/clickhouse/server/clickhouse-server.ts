import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip, constants as zlib } from 'node:zlib'
import {
  type BaseQueryParams,
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { MIB } from '../../../base/units.js'
import { isBuiltIn, type SourceName } from '../../../common/sources.js'
import { textValue } from './values.js'

/** A value of an answer: a number, a text (also for 64-bit integers), or null. */
export type Cell = string | number | null

/** Cancellation, timeout and statistics of a SELECT. */
export interface SelectOptions {
  signal?: AbortSignal
  deadlineMs?: number
  /** Called with the number of rows that the server has read. */
  onRead?(rows: number): void
  /** Called with the number of groups before LIMIT, if the query groups, sorts and limits. */
  onGroups?(groups: number): void
}

/** A ClickHouse server. Every call rejects with a {@link ServerError}, or the signal's reason. */
export interface Server {
  /** Returns the complete answer of a SELECT. Rejects rather than return a part of the answer. */
  select(sql: string, options?: SelectOptions): Promise<Cell[][]>
  /**
   * Returns the complete answer of a SELECT in ClickHouse's Native format. Rejects rather than return a part of the
   * answer.
   */
  selectNative(sql: string, options?: Pick<SelectOptions, 'signal' | 'deadlineMs'>): Promise<Buffer>
  /**
   * Sends blocks of ClickHouse's Native format to `INSERT INTO … FORMAT Native`. Resolves when all rows are written, on
   * every shard that the rows belong to. After an error some of the rows may be stored, at once or later.
   */
  insert(sql: string, blocks: readonly Uint8Array[], queryId: string): Promise<void>
  /** Runs a statement without a result. */
  command(sql: string): Promise<void>
  /** Closes the connections. */
  close(): Promise<void>
}

/** An error from the server, or a failure to reach the server. */
export class ServerError extends Error {
  /** ClickHouse's error number. Undefined if the server did not return an error number. */
  readonly code: number | undefined
  constructor(error: unknown) {
    const message = error instanceof Error ? error.message || error.name : String(error)
    super(message.trim(), { cause: error })
    this.name = 'ServerError'
    const property = (error as { code?: unknown } | null)?.code
    const code = /^\d+$/.test(String(property)) ? property : /\bCode: (\d+)[.,]/.exec(message)?.[1]
    this.code = code === undefined ? undefined : Number(code)
  }
}

/** ClickHouse's numbers of errors that `logweir schema clickhouse --apply` fixes: no such table, no such database. */
const LACKS_TABLES = new Set<number | undefined>([60, 81])

/** Whether an error says that a table, or the database, does not exist. */
export const lacksTable = (error: Error): boolean => error instanceof ServerError && LACKS_TABLES.has(error.code)

/** Returns the command that creates the tables of the nine sources, and of these own sources. */
export const applyCommand = (ownSources: readonly SourceName[] = []): string =>
  ['logweir schema clickhouse --apply', ...(ownSources.length === 0 ? [] : ['--sources', ownSources.join(',')])].join(
    ' ',
  )

/** Returns the message of an error about rows of a source, or of any sources, with the remedy if known. */
export function messageWithHint(error: Error, source?: SourceName): string {
  if (!lacksTable(error)) return error.message
  const ownSources = source === undefined || isBuiltIn(source) ? [] : [source]
  return `${error.message} (${applyCommand(ownSources)} creates the tables)`
}

/** The address of a server, the credentials and the timeouts. */
export interface ServerOptions {
  url: string
  user: string
  password: string
  /** The cluster over which rows are distributed. Undefined for a single server. */
  cluster?: string | undefined
  /** Timeout of a SELECT. */
  selectMs?: number
  /** Timeout of an insert or a statement. */
  insertMs?: number
}

const SELECT_MS = 30_000
const INSERT_MS = 60_000
const CONNECTIONS = 32
const FASTEST = { level: zlib.Z_BEST_SPEED }
const GZIP = { 'Content-Encoding': 'gzip' }

/**
 * The server sends a complete answer, from all shards, or an error status. Queries may be long, because of a pattern or
 * a project. 64-bit integers are quoted: JSON numbers would lose digits.
 */
const SELECT_SETTINGS: ClickHouseSettings = {
  wait_end_of_query: 1,
  skip_unavailable_shards: 0,
  max_query_size: `${MIB}`,
  output_format_json_quote_64bit_integers: 1,
}
/** The list of rows of a deletion may be long. */
const COMMAND_SETTINGS: ClickHouseSettings = { max_query_size: SELECT_SETTINGS.max_query_size }
/** The server answers an insert after the insert has ended on all shards. */
const CLUSTER_INSERT_SETTINGS: ClickHouseSettings = { insert_distributed_sync: 1 }

/** Connects to a server over HTTP with the official client. Sends nothing before the first call. */
export function connectServer(options: ServerOptions): Server {
  const { url, user, password, cluster, selectMs = SELECT_MS, insertMs = INSERT_MS } = options
  const client = createClient({
    url,
    username: user,
    password,
    application: 'logweir',
    request_timeout: Math.max(selectMs, insertMs) + 1_000,
    max_open_connections: CONNECTIONS,
    log: { level: ClickHouseLogLevel.OFF },
  })
  // For a server on the same machine, compression costs more than it saves.
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname)
  return {
    select: (sql, options) => select(client, sql, { deadlineMs: selectMs, ...options }),
    selectNative: (sql, options) => selectNative(client, sql, { deadlineMs: selectMs, ...options }),
    async insert(sql, blocks, queryId) {
      const plain = Readable.from(blocks, { objectMode: false })
      await exec(client, sql, {
        ...(isLocal ? { values: plain } : { values: plain.pipe(createGzip(FASTEST)), http_headers: GZIP }),
        query_id: queryId,
        clickhouse_settings: cluster === undefined ? {} : CLUSTER_INSERT_SETTINGS,
        abort_signal: AbortSignal.timeout(insertMs),
      })
    },
    command: (sql) =>
      exec(client, sql, { clickhouse_settings: COMMAND_SETTINGS, abort_signal: AbortSignal.timeout(insertMs) }),
    close: () => client.close(),
  }
}

async function select(
  client: ClickHouseClient,
  sql: string,
  { onRead, onGroups, ...limits }: SelectOptions & { deadlineMs: number },
): Promise<Cell[][]> {
  return withDeadline(client, limits, async (parameters) => {
    const result = await client.query({ query: sql, format: 'JSONCompact', ...parameters })
    const { data, statistics, rows_before_limit_at_least } = await result.json<Cell[]>()
    if (statistics !== undefined) onRead?.(statistics.rows_read)
    if (rows_before_limit_at_least !== undefined) onGroups?.(rows_before_limit_at_least)
    return data
  })
}

function selectNative(
  client: ClickHouseClient,
  sql: string,
  limits: Pick<SelectOptions, 'signal'> & { deadlineMs: number },
): Promise<Buffer> {
  return withDeadline(client, limits, async (parameters) => {
    const { stream } = await client.exec({ query: `${sql} FORMAT Native`, ...parameters })
    const pieces: Buffer[] = []
    for await (const piece of stream as Readable) pieces.push(piece as Buffer)
    return Buffer.concat(pieces)
  })
}

/** Runs a SELECT until the deadline or an abort. Rejects with a ServerError, or the signal's reason. */
async function withDeadline<T>(
  client: ClickHouseClient,
  { deadlineMs, signal }: Pick<SelectOptions, 'signal'> & { deadlineMs: number },
  run: (parameters: Pick<BaseQueryParams, 'query_id' | 'abort_signal' | 'clickhouse_settings'>) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const queryId = randomUUID()
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    return await run({
      query_id: queryId,
      abort_signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      clickhouse_settings: { ...SELECT_SETTINGS, max_execution_time: Math.ceil(deadlineMs / 1000) },
    })
  } catch (error) {
    // An old server continues a query after the client has disconnected.
    if (signal?.aborted || deadline.aborted) stop(client, queryId)
    signal?.throwIfAborted()
    throw new ServerError(deadline.aborted ? new Error(`no answer within ${deadlineMs / 1000} s`) : error)
  }
}

/** Kills a query on all servers that run parts of the query. The caller does not wait. Errors are ignored. */
function stop(client: ClickHouseClient, queryId: string): void {
  exec(client, `KILL QUERY WHERE query_id = ${textValue(queryId)}`, {}).catch(() => {})
}

async function exec(
  client: ClickHouseClient,
  query: string,
  options: Omit<Parameters<ClickHouseClient['exec']>[0] & { values?: Readable }, 'query'>,
): Promise<void> {
  try {
    const { stream } = await client.exec({ query, ...options })
    for await (const _ of stream as Readable);
  } catch (error) {
    throw new ServerError(error)
  }
}
