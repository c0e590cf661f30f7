import type { SchemaConfig } from './config/config.js'
import { type Applied, applySchema, askDialect, type Dialect, printSchema } from './engine/clickhouse/ddl.js'
import { connectServer, type Server } from './engine/clickhouse/server.js'
import { type AppliedAt, applyToOthers, type ClusterOptions } from './engine/clickhouse/shards.js'

/** What is printed where no server is given that could be asked for its version. */
const NEWEST: Dialect = { isModern: true }

/** Resolves when the text is out; rejects with EPIPE if the reader has gone. */
type Print = (text: string) => Promise<void>

/**
 * Prints the statements that make the tables, as the server would get them, or creates what is missing: on a cluster on
 * every server of it. Gives false if a table is not as it should be, or is missing on a server that could not be reached.
 * Rejects with a ServerError.
 */
export async function showSchema({ apply, clickhouse }: SchemaConfig, print: Print): Promise<boolean> {
  const { url, ...options } = clickhouse
  if (url === undefined) {
    await print(printSchema(clickhouse, NEWEST))
    return true
  }
  const server = connectServer({ url, ...options })
  try {
    if (apply) return await create(server, { ...clickhouse, url }, print)
    await print(printSchema(clickhouse, await askDialect(server)))
    return true
  } finally {
    await server.close()
  }
}

type Place = SchemaConfig['clickhouse'] & { url: string }

async function create(server: Server, place: Place, print: Print): Promise<boolean> {
  const { url, cluster } = place
  const own = await applySchema(server, place)
  const options = { ...place, cluster }
  const { reached, unreached } = isOfCluster(options) ? await applyToOthers(server, place, options) : NO_OTHERS
  const lines = [
    ...linesOf(own, cluster === undefined ? '' : ` at ${url}`),
    ...reached.flatMap((applied) => linesOf(applied, ` at ${applied.url}`)),
    ...unreached.map((applied) => lineOfUnreached(applied, place)),
  ]
  await print(lines.length === 0 ? 'nothing was missing\n' : lines.join(''))
  return unreached.length === 0 && [own, ...reached].every(({ differing }) => differing.length === 0)
}

const NO_OTHERS = { reached: [], unreached: [] }

const isOfCluster = (options: Place): options is Place & ClusterOptions => options.cluster !== undefined

const linesOf = ({ created, differing }: Applied, at: string) => [
  ...created.map((table) => `created ${table}${at}\n`),
  ...differing.map((table) => `left as it is, but not as it should be${at}: ${table}\n`),
]

function lineOfUnreached({ shard, url, reason }: AppliedAt, { cluster }: Place): string {
  const command = `logweir schema clickhouse --apply --clickhouse-cluster ${cluster} --clickhouse-url`
  return `tables may be missing on shard ${shard}, which could not be reached at ${url}: ${reason}. Run with its address: ${command} http://HOST:PORT\n`
}
