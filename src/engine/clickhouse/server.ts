import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip, constants as zlib } from 'node:zlib'
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client'
import { MIB } from '../../base/units.js'
import { textValue } from './values.js'

/** A number, a text (64-bit integers are texts), or null. */
export type Cell = string | number | null

export interface SelectOptions {
  signal?: AbortSignal
  deadlineMs?: number
  onRead?(rows: number): void
  /** Is told of a query that groups, and sorts and cuts the groups, how many there are. */
  onGroups?(groups: number): void
}

/** A ClickHouse server, as far as the engine needs one. Every call rejects with a {@link ServerError}, or the signal's reason. */
export interface Server {
  /** The whole answer of a SELECT, or an error: never a part of it. `onRead` is told how many rows the server has read. */
  select(sql: string, options?: SelectOptions): Promise<Cell[][]>
  /**
   * Sends blocks of ClickHouse's Native format to `INSERT INTO … FORMAT Native`. Resolves when all rows have been written,
   * on every shard that they belong to. After an error some of them may be there, or appear later.
   */
  insert(sql: string, blocks: readonly Uint8Array[], queryId: string): Promise<void>
  /** Runs a statement that answers nothing. */
  command(sql: string): Promise<void>
  close(): Promise<void>
}

/** What the server said, or why it could not be asked. */
export class ServerError extends Error {
  /** ClickHouse's number of the error; undefined where none was heard. */
  readonly code: number | undefined
  constructor(error: unknown) {
    const message = error instanceof Error ? error.message || error.name : String(error)
    super(message.trim(), { cause: error })
    this.name = 'ServerError'
    const own = (error as { code?: unknown } | null)?.code
    const told = /^\d+$/.test(String(own)) ? own : /\bCode: (\d+)[.,]/.exec(message)?.[1]
    this.code = told === undefined ? undefined : Number(told)
  }
}

/** ClickHouse's numbers of errors that `logweir schema clickhouse --apply` mends: no such table, no such database. */
const LACKS_TABLES = new Set<number | undefined>([60, 81])

/** What an error says, and how to mend it where that is known. */
export function messageWithHint(error: Error): string {
  const lacksTables = error instanceof ServerError && LACKS_TABLES.has(error.code)
  return lacksTables ? `${error.message} (logweir schema clickhouse --apply creates the tables)` : error.message
}

export interface ServerOptions {
  url: string
  user: string
  password: string
  /** Undefined: rows do not go to the shards of one. */
  cluster?: string | undefined
  /** The longest that an answer, and an insert, may take. */
  selectMs?: number
  insertMs?: number
}

const SELECT_MS = 30_000
const INSERT_MS = 60_000
const CONNECTIONS = 32
const FASTEST = { level: zlib.Z_BEST_SPEED }
const GZIP = { 'Content-Encoding': 'gzip' }

/**
 * An answer comes whole or as an error with a status of its own, and lacks no shard; a pattern or a project may make a
 * query long. Unquoted, 64-bit integers would lose digits.
 */
const SELECT_SETTINGS: ClickHouseSettings = {
  wait_end_of_query: 1,
  skip_unavailable_shards: 0,
  max_query_size: `${MIB}`,
  output_format_json_quote_64bit_integers: 1,
}
/** The insert has ended on all shards when it is answered. */
const CLUSTER_INSERT_SETTINGS: ClickHouseSettings = { insert_distributed_sync: 1 }

/** Speaks to a server over HTTP with the official client. Nothing is sent before the first call. */
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
  // Between two processes of one machine compressing costs more than it saves.
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname)
  return {
    select: (sql, asked) => select(client, sql, { deadlineMs: selectMs, ...asked }),
    async insert(sql, blocks, queryId) {
      const plain = Readable.from(blocks, { objectMode: false })
      await exec(client, sql, {
        ...(isLocal ? { values: plain } : { values: plain.pipe(createGzip(FASTEST)), http_headers: GZIP }),
        query_id: queryId,
        clickhouse_settings: cluster === undefined ? {} : CLUSTER_INSERT_SETTINGS,
        abort_signal: AbortSignal.timeout(insertMs),
      })
    },
    command: (sql) => exec(client, sql, { abort_signal: AbortSignal.timeout(insertMs) }),
    close: () => client.close(),
  }
}

async function select(
  client: ClickHouseClient,
  sql: string,
  { deadlineMs, signal, onRead, onGroups }: SelectOptions & { deadlineMs: number },
): Promise<Cell[][]> {
  signal?.throwIfAborted()
  const queryId = randomUUID()
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    const result = await client.query({
      query: sql,
      format: 'JSONCompact',
      query_id: queryId,
      abort_signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      clickhouse_settings: { ...SELECT_SETTINGS, max_execution_time: Math.ceil(deadlineMs / 1000) },
    })
    const { data, statistics, rows_before_limit_at_least } = await result.json<Cell[]>()
    if (statistics !== undefined) onRead?.(statistics.rows_read)
    if (rows_before_limit_at_least !== undefined) onGroups?.(rows_before_limit_at_least)
    return data
  } catch (error) {
    // An old server goes on when nobody waits any more.
    if (signal?.aborted || deadline.aborted) stop(client, queryId)
    signal?.throwIfAborted()
    throw new ServerError(deadline.aborted ? new Error(`no answer within ${deadlineMs / 1000} s`) : error)
  }
}

/** Ends a query, wherever parts of it run; who asked does not wait for that, nor hears if it fails. */
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
