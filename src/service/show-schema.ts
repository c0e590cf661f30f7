import type { SchemaConfig } from '../config/clickhouse-config.js'
import { type Applied, applySchema, askDialect } from '../engine/clickhouse/schema/apply-schema.js'
import { type Dialect, printSchema } from '../engine/clickhouse/schema/ddl.js'
import { LACKING_MS } from '../engine/clickhouse/schema/existing-columns.js'
import { type AppliedAt, applyToCluster } from '../engine/clickhouse/schema/shards.js'
import { connectServer, type Server } from '../engine/clickhouse/server/clickhouse-server.js'

/** The dialect that is printed if there is no server to ask for its version. */
const NEWEST: Dialect = { isModern: true }

/** Resolves when the text is written, or rejects with EPIPE if the reader has closed the pipe. */
type Print = (text: string) => Promise<void>

/**
 * Prints the statements that create the tables of the nine sources and of the configured own sources, as the server
 * would get them. With `apply`, creates the missing tables
 * instead and adds missing columns, on every server of a cluster. Returns false if a table differs from the definition,
 * or tables or columns are missing on a server that could not be reached. Rejects with a ServerError.
 */
export async function showSchema({ apply, sources, clickhouse }: SchemaConfig, print: Print): Promise<boolean> {
  const { url, ...options } = clickhouse
  if (url === undefined) {
    await print(printSchema(clickhouse, NEWEST, sources))
    return true
  }
  const server = connectServer({ url, ...options })
  try {
    if (apply) return await create(server, { ...clickhouse, url, ownSources: sources }, print)
    await print(printSchema(clickhouse, await askDialect(server), sources))
    return true
  } finally {
    await server.close()
  }
}

type Connection = SchemaConfig['clickhouse'] & { url: string; ownSources: SchemaConfig['sources'] }

async function create(server: Server, connection: Connection, print: Print): Promise<boolean> {
  const { url, cluster, ownSources } = connection
  const { local, reached, unreached } =
    cluster === undefined
      ? { local: await applySchema(server, connection, { ownSources }), reached: [], unreached: [] }
      : await applyToCluster(server, connection, { ...connection, cluster })
  const lines = [
    ...linesOf(local, cluster === undefined ? '' : ` at ${url}`),
    ...reached.flatMap((applied) => linesOf(applied, ` at ${applied.url}`)),
    ...unreached.map((applied) => lineOfUnreached(applied, connection)),
  ]
  const all = [local, ...reached]
  if (all.some(({ added }) => added.length > 0)) lines.push(lineOfOldRows())
  await print(lines.length === 0 ? 'nothing was missing\n' : lines.join(''))
  return unreached.length === 0 && all.every(({ differing, lacking }) => differing.length + lacking.length === 0)
}

/** Names a time after which no insert of a running process of this version leaves the columns out. */
function lineOfOldRows(): string {
  const time = new Date(Date.now() + LACKING_MS).toISOString()
  return `rows stored before ${time} have no values in added columns: queries read their metadata, which takes longer\n`
}

const linesOf = ({ created, added, lacking, differing }: Applied, at: string) => [
  ...created.map((table) => `created ${table}${at}\n`),
  ...added.map((columns) => `added ${columns}${at}\n`),
  ...lacking.map((table) => `not changed before the tables of all shards have its columns${at}: ${table}\n`),
  ...differing.map((table) => `not changed, although it differs${at}: ${table}\n`),
]

function lineOfUnreached({ shard, url, reason }: AppliedAt, { cluster, ownSources }: Connection): string {
  const sources = ownSources.length === 0 ? '' : ` --sources ${ownSources.join(',')}`
  const command = `logweir schema clickhouse --apply${sources} --clickhouse-cluster ${cluster} --clickhouse-url`
  const failure = `tables or columns may be missing on shard ${shard}, which could not be reached at ${url}: ${reason}`
  return `${failure}. Run with its address: ${command} http://HOST:PORT\n`
}
