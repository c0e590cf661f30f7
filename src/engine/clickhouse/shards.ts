import { type Applied, applySchema, tables } from './ddl.js'
import { connectServer, type Server, type ServerOptions } from './server.js'
import type { TableLocation } from './table-names.js'
import { quoteName, textValue } from './values.js'

/** A server of a cluster, as system.clusters names it: it has the port of ClickHouse's own protocol, not that of HTTP. */
interface Replica {
  shard: number
  host: string
  /** Whether the server that was asked is this one. Servers do not always know themselves. */
  isLocal: boolean
}

/** What became of one server of a cluster. */
export interface AppliedAt extends Applied {
  shard: number
  /** The address that was used for HTTP. */
  url: string
  /** Why nothing was done there; undefined if the server was reached. */
  reason: string | undefined
}

export interface ClusterOptions extends ServerOptions {
  cluster: string
}

export interface ClusterApplied {
  reached: readonly AppliedAt[]
  /** Servers that could not be reached, if tables are missing on some shard; else empty. */
  unreached: readonly AppliedAt[]
}

/** A server that does not answer is waited for so long. */
const REPLICA_MS = 10_000

/**
 * Creates what is missing on the other servers of the cluster that `server` is one of. Each is reached at its host, with
 * the HTTP port of `options.url`. Whether every shard has its tables is then asked over the cluster's own protocol, so that
 * a server which is reached otherwise is no failure. Rejects with a ServerError if `server` does not answer.
 */
export async function applyToOthers(
  server: Server,
  location: TableLocation,
  options: ClusterOptions,
): Promise<ClusterApplied> {
  const replicas = await askReplicas(server, options.cluster)
  const others = await Promise.all(
    othersOf(replicas, options.url).map((replica) => applyAt(replica, location, options)),
  )
  const failed = others.filter(({ reason }) => reason !== undefined)
  const reached = others.filter(({ reason }) => reason === undefined)
  const shards = new Set(replicas.map(({ shard }) => shard)).size
  const isWhole = await haveAllTables(server, location, options.cluster, shards).catch(() => false)
  return { reached, unreached: isWhole ? [] : failed }
}

async function askReplicas(server: Server, cluster: string): Promise<Replica[]> {
  const rows = await server.select(
    `SELECT shard_num, host_name, is_local FROM system.clusters WHERE cluster = ${textValue(cluster)} ORDER BY shard_num, replica_num`,
  )
  return rows.map(([shard, host, isLocal]) => ({
    shard: Number(shard),
    host: String(host),
    isLocal: Number(isLocal) === 1,
  }))
}

/** All but the server at `url`: by its own word, or else by its host. */
function othersOf(replicas: readonly Replica[], url: string): Replica[] {
  const knowsItself = replicas.some(({ isLocal }) => isLocal)
  return replicas.filter((replica) =>
    knowsItself ? !replica.isLocal : urlOf(replica, url) !== urlOf({ host: hostOf(url) }, url),
  )
}

const hostOf = (url: string) => new URL(url).hostname

/** The address of a server of the cluster, if HTTP has the same port there. */
function urlOf({ host }: Pick<Replica, 'host'>, url: string): string {
  const there = new URL(url)
  there.hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return there.href.replace(/\/$/, '')
}

async function applyAt(replica: Replica, location: TableLocation, options: ClusterOptions): Promise<AppliedAt> {
  const url = urlOf(replica, options.url)
  const at = { shard: replica.shard, url, created: [], differing: [] }
  const isElsewhere = isLoopback(url) && !isLoopback(options.url)
  if (isElsewhere) return { ...at, reason: `${replica.host} is this machine here, not the one of the server` }
  const server = connectServer({ ...options, url, selectMs: REPLICA_MS, insertMs: REPLICA_MS })
  try {
    const reason = await whyOther(server, replica, options.cluster)
    return reason === undefined ? { ...at, ...(await applySchema(server, location)), reason } : { ...at, reason }
  } catch (error) {
    return { ...at, reason: (error as Error).message }
  } finally {
    await server.close()
  }
}

const isLoopback = (url: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostOf(url))

/** Why the server that answers is another than the one that is meant; undefined if nothing says so. */
async function whyOther(server: Server, { shard }: Replica, cluster: string): Promise<string | undefined> {
  const replicas = await askReplicas(server, cluster)
  if (replicas.length === 0) return `the server there knows no cluster ${cluster}`
  const own = replicas.filter(({ isLocal }) => isLocal)
  const isMeant = own.length === 0 || own.some((replica) => replica.shard === shard)
  return isMeant ? undefined : `shard ${own[0]!.shard} answers there`
}

/** Whether each shard has all tables; one replica of each is asked. */
async function haveAllTables(
  server: Server,
  location: TableLocation,
  cluster: string,
  shards: number,
): Promise<boolean> {
  const rows = await server.select(
    `SELECT name, count() FROM cluster(${quoteName(cluster)}, system, tables) WHERE database = ${textValue(location.database)} GROUP BY name`,
  )
  const countOf = new Map(rows.map(([name, count]) => [String(name), Number(count)]))
  return tables(location, { isModern: false }).every(({ name }) => countOf.get(name) === shards)
}
