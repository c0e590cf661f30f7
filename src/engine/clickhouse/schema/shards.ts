import { connectServer, type Server, ServerError, type ServerOptions } from '../server/clickhouse-server.js'
import { quoteName, textValue } from '../server/values.js'
import { type Applied, type ApplyOptions, applySchema, nothingApplied } from './apply-schema.js'
import { type TableDefinition, tables } from './ddl.js'
import type { TableLocation } from './table-names.js'

/** A server of a cluster, from system.clusters, which has the port of ClickHouse's native protocol, not of HTTP. */
interface Replica {
  shard: number
  host: string
  /** Whether this is the server that was queried. Servers do not always recognize themselves. */
  isLocal: boolean
}

/** The result for a server of a cluster. */
export interface AppliedAt extends Applied {
  shard: number
  /** The HTTP address that was used. */
  url: string
  /** Why not everything was done on the server. Undefined if everything was done. */
  reason: string | undefined
}

/** The connection to a server of a cluster, and the own sources that have tables there. */
export interface ClusterOptions extends ServerOptions, Pick<ApplyOptions, 'ownSources'> {
  cluster: string
}

/** The results for the servers of a cluster. */
export interface ClusterApplied {
  /** The result for the server itself. */
  local: Applied
  /** The other servers that were reached. */
  reached: readonly AppliedAt[]
  /** Servers that could not be reached, if tables or columns are missing on some shard. Otherwise empty. */
  unreached: readonly AppliedAt[]
}

/** Another server of the cluster. `server` is undefined if unreachable, see `at.reason`. */
interface Member {
  at: AppliedAt
  server: Server | undefined
}

/** Timeout for each of the other servers. */
const REPLICA_MS = 10_000

/** The columns have the same names in all dialects. */
const OLD = { isModern: false }

const isDistributed = ({ engine }: TableDefinition) => engine === 'Distributed'
const hasRows = (table: TableDefinition) => !isDistributed(table)

/**
 * Creates the missing tables on all servers of the cluster of `server`, and adds the columns that existing tables lack.
 * Each other server is reached at the server's host and the HTTP port of `options.url`. Adds columns first to the
 * tables with the rows. The Distributed tables get the columns only once every shard has the columns, since an insert
 * names all columns of the Distributed tables. Checks over the native protocol which tables and columns the shards
 * have: if all, servers that were not reached over HTTP are no failure. Rejects with a ServerError if `server` does not
 * answer.
 */
export async function applyToCluster(
  server: Server,
  location: TableLocation,
  options: ClusterOptions,
): Promise<ClusterApplied> {
  const { cluster, url, ownSources = [] } = options
  const replicas = await queryReplicas(server, cluster)
  const local = nothingApplied()
  const others = await Promise.all(othersOf(replicas, url).map((replica) => reach(replica, options)))
  const shards = new Set(replicas.map(({ shard }) => shard)).size
  const haveAll = (isWanted: (table: TableDefinition) => boolean) =>
    haveColumns(server, tables(location, OLD, ownSources).filter(isWanted), location, shards).catch(() => false)

  async function apply(part: Omit<ApplyOptions, 'ownSources'>): Promise<void> {
    const what = { ownSources, ...part }
    addTo(local, await applySchema(server, location, what))
    await Promise.all(others.map((member) => applyAt(member, location, what)))
  }
  try {
    await apply({ isWanted: hasRows })
    await apply({ isWanted: isDistributed, mayAdd: await haveAll(hasRows) })
    const isWhole = await haveAll(() => true)
    const failed = others.filter(({ at }) => at.reason !== undefined)
    const reached = others.filter(({ at }) => at.reason === undefined)
    return { local, reached: reached.map(({ at }) => at), unreached: isWhole ? [] : failed.map(({ at }) => at) }
  } finally {
    await Promise.all(others.map((member) => member.server?.close()))
  }
}

/** The servers that have the rows of a source. */
export interface Shards {
  servers: readonly Server[]
  /** Closes the connections that were made. */
  close(): Promise<void>
}

/** Connects to the servers that have rows. Rejects with a {@link ServerError}. */
export type ConnectShards = () => Promise<Shards>

/**
 * Connects to all servers of a cluster, of every shard and replica, as {@link applyToCluster} does. Rejects with a
 * ServerError that names a server which cannot be reached.
 */
export async function connectShards(server: Server, options: ServerOptions & { cluster: string }): Promise<Shards> {
  const replicas = await queryReplicas(server, options.cluster)
  const others = await Promise.all(othersOf(replicas, options.url).map((replica) => reach(replica, options)))
  const connected = others.flatMap(({ server }) => server ?? [])
  const close = async () => void (await Promise.all(connected.map((other) => other.close())))
  const missed = others.find(({ at }) => at.reason !== undefined)
  if (missed === undefined) return { servers: [server, ...connected], close }
  await close()
  const { url, reason } = missed.at
  throw new ServerError(new Error(`the server of the cluster at ${url} cannot be reached: ${reason}`))
}

function addTo(sum: Applied, { created, added, lacking, differing }: Applied): void {
  sum.created.push(...created)
  sum.added.push(...added)
  sum.lacking.push(...lacking)
  sum.differing.push(...differing)
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

/** Returns all replicas except the server at `url`: by `isLocal` if a replica has `isLocal`, else by host. */
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

async function reach(replica: Replica, options: ClusterOptions): Promise<Member> {
  const url = urlOf(replica, options.url)
  const at: AppliedAt = { shard: replica.shard, url, reason: undefined, ...nothingApplied() }
  const isElsewhere = isLoopback(url) && !isLoopback(options.url)
  if (isElsewhere) {
    const reason = `${replica.host} names this machine, not that of the server`
    return { at: { ...at, reason }, server: undefined }
  }
  const server = connectServer({ ...options, url, selectMs: REPLICA_MS, insertMs: REPLICA_MS })
  const reason = await mismatchOf(server, replica, options.cluster).catch(({ message }: Error) => message)
  return { at: { ...at, reason }, server }
}

async function applyAt({ at, server }: Member, location: TableLocation, what: ApplyOptions): Promise<void> {
  if (server === undefined || at.reason !== undefined) return
  try {
    addTo(at, await applySchema(server, location, what))
  } catch (error) {
    at.reason = (error as Error).message
  }
}

const isLoopback = (url: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostOf(url))

/** Returns why the server is not the expected replica. Undefined if the server may be the replica. */
async function mismatchOf(server: Server, { shard }: Replica, cluster: string): Promise<string | undefined> {
  const replicas = await queryReplicas(server, cluster)
  if (replicas.length === 0) return `the server there knows no cluster ${cluster}`
  const local = replicas.filter(({ isLocal }) => isLocal)
  const isExpected = local.length === 0 || local.some((replica) => replica.shard === shard)
  return isExpected ? undefined : `shard ${local[0].shard} answers there`
}

/** Whether each shard has all columns of these tables. Queries one replica of each shard. */
async function haveColumns(
  server: Server,
  wanted: readonly TableDefinition[],
  { database, cluster }: TableLocation,
  shards: number,
): Promise<boolean> {
  const rows = await server.select(
    `SELECT table, name, count() FROM cluster(${quoteName(cluster!)}, system, columns) ` +
      `WHERE database = ${textValue(database)} GROUP BY table, name`,
  )
  const countOf = new Map(rows.map(([table, name, count]) => [`${table} ${name}`, Number(count)]))
  return wanted.every(({ name, columns }) =>
    columns.every((column) => countOf.get(`${name} ${column.name}`) === shards),
  )
}
