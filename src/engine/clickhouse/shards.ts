import { connectServer, type Server, type ServerOptions } from './clickhouse-server.js'
import { type Applied, applySchema, tables } from './ddl.js'
import type { TableLocation } from './table-names.js'
import { quoteName, textValue } from './values.js'

/** A server of a cluster, from system.clusters, which has the port of ClickHouse's native protocol, not of HTTP. */
interface Replica {
  shard: number
  host: string
  /** Whether this is the server that was queried. Servers do not always recognize themselves. */
  isLocal: boolean
}

/** The result for one server of a cluster. */
export interface AppliedAt extends Applied {
  shard: number
  /** The HTTP address that was used. */
  url: string
  /** Why nothing was done there; undefined if the server was reached. */
  reason: string | undefined
}

/** The connection to one server of a cluster. */
export interface ClusterOptions extends ServerOptions {
  cluster: string
}

/** The results for the other servers of a cluster. */
export interface ClusterApplied {
  reached: readonly AppliedAt[]
  /** Servers that could not be reached, if tables are missing on some shard; else empty. */
  unreached: readonly AppliedAt[]
}

/** Timeout for each of the other servers. */
const REPLICA_MS = 10_000

/**
 * Creates the missing tables on the other servers of the cluster of `server`, each at its host and the HTTP port of
 * `options.url`. Then checks over the native protocol whether every shard has its tables: if so, servers that were not
 * reached over HTTP are no failure. Rejects with a ServerError if `server` does not answer.
 */
export async function applyToOthers(
  server: Server,
  location: TableLocation,
  options: ClusterOptions,
): Promise<ClusterApplied> {
  const replicas = await queryReplicas(server, options.cluster)
  const others = await Promise.all(
    othersOf(replicas, options.url).map((replica) => applyAt(replica, location, options)),
  )
  const failed = others.filter(({ reason }) => reason !== undefined)
  const reached = others.filter(({ reason }) => reason === undefined)
  const shards = new Set(replicas.map(({ shard }) => shard)).size
  const isWhole = await haveAllTables(server, location, options.cluster, shards).catch(() => false)
  return { reached, unreached: isWhole ? [] : failed }
}

async function queryReplicas(server: Server, cluster: string): Promise<Replica[]> {
  const rows = await server.select(
    `SELECT shard_num, host_name, is_local FROM system.clusters WHERE cluster = ${textValue(cluster)} ` +
      'ORDER BY shard_num, replica_num',
  )
  return rows.map(([shard, host, isLocal]) => ({
    shard: Number(shard),
    host: String(host),
    isLocal: Number(isLocal) === 1,
  }))
}

/** Returns all replicas except the server at `url`: by `isLocal` if one has it, else by host. */
function othersOf(replicas: readonly Replica[], url: string): Replica[] {
  const knowsItself = replicas.some(({ isLocal }) => isLocal)
  return replicas.filter((replica) =>
    knowsItself ? !replica.isLocal : urlOf(replica, url) !== urlOf({ host: hostOf(url) }, url),
  )
}

const hostOf = (url: string) => new URL(url).hostname

/** Returns the HTTP address of a server of the cluster, which is assumed to have the port of `url`. */
function urlOf({ host }: Pick<Replica, 'host'>, url: string): string {
  const address = new URL(url)
  address.hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return address.href.replace(/\/$/, '')
}

async function applyAt(replica: Replica, location: TableLocation, options: ClusterOptions): Promise<AppliedAt> {
  const url = urlOf(replica, options.url)
  const at = { shard: replica.shard, url, created: [], differing: [] }
  const isElsewhere = isLoopback(url) && !isLoopback(options.url)
  if (isElsewhere) return { ...at, reason: `${replica.host} names this machine, not that of the server` }
  const server = connectServer({ ...options, url, selectMs: REPLICA_MS, insertMs: REPLICA_MS })
  try {
    const reason = await mismatchOf(server, replica, options.cluster)
    return reason === undefined ? { ...at, ...(await applySchema(server, location)), reason } : { ...at, reason }
  } catch (error) {
    return { ...at, reason: (error as Error).message }
  } finally {
    await server.close()
  }
}

const isLoopback = (url: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostOf(url))

/** Returns why the server is not the expected replica; undefined if it may be. */
async function mismatchOf(server: Server, { shard }: Replica, cluster: string): Promise<string | undefined> {
  const replicas = await queryReplicas(server, cluster)
  if (replicas.length === 0) return `the server there knows no cluster ${cluster}`
  const local = replicas.filter(({ isLocal }) => isLocal)
  const isExpected = local.length === 0 || local.some((replica) => replica.shard === shard)
  return isExpected ? undefined : `shard ${local[0]!.shard} answers there`
}

/** Whether each shard has all tables. Queries one replica of each. */
async function haveAllTables(
  server: Server,
  location: TableLocation,
  cluster: string,
  shards: number,
): Promise<boolean> {
  const rows = await server.select(
    `SELECT name, count() FROM cluster(${quoteName(cluster)}, system, tables) ` +
      `WHERE database = ${textValue(location.database)} GROUP BY name`,
  )
  const countOf = new Map(rows.map(([name, count]) => [String(name), Number(count)]))
  return tables(location, { isModern: false }).every(({ name }) => countOf.get(name) === shards)
}
