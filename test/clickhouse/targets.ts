import { createMetrics } from '../../src/base/metrics.js'
import type { SourceName } from '../../src/common/sources.js'
import {
  type ClickHouseEngine,
  type ClickHouseEngineOptions,
  createClickHouseEngine,
} from '../../src/engine/clickhouse/engine.js'
import { applySchema, askDialect } from '../../src/engine/clickhouse/schema/apply-schema.js'
import { shardTableName, type TableLocation } from '../../src/engine/clickhouse/schema/table-names.js'
import { connectServer, type Server } from '../../src/engine/clickhouse/server/clickhouse-server.js'
import { createFakeClock } from '../support/clock.js'
import { createModelFiles } from '../support/model-files.js'
import { NINE_AND_OWN, OWN_SOURCE } from '../support/own-source.js'
import { findChdb, startChdb, WHY_NO_CHDB } from './chdb.js'
import { type Cluster, findServer, sharedCluster, USER, WHY_NO_SERVER } from './cluster.js'

/** A ClickHouse that the engine can use, with tables. */
export interface Target {
  location: TableLocation
  /** The address of the first server. */
  url: string
  /** The addresses of all servers. */
  urls: readonly string[]
  /** A server for each shard. */
  servers: readonly Server[]
  /** Opens an engine with the given options. Closing the engine does not stop the server. */
  open(options?: Partial<ClickHouseEngineOptions>): Promise<ClickHouseEngine>
  /** Removes the rows of the given sources, or all rows. */
  clear(sources?: Iterable<SourceName>): Promise<void>
  stop(): Promise<void>
}

export interface TargetKind {
  name: string
  /** Undefined if the program is not installed. */
  found: unknown
  needed: string
  why: string
  start(): Promise<Target>
}

const DATABASE = 'logweir'

export const TARGETS: readonly TargetKind[] = [
  {
    name: 'two shards of ClickHouse',
    found: findServer(),
    needed: 'clickhouse-server',
    why: WHY_NO_SERVER,
    start: async () => targetOn(await sharedCluster()),
  },
  {
    name: 'chdb',
    found: findChdb(),
    needed: 'chdb',
    why: WHY_NO_CHDB,
    async start() {
      const { url, stop } = await startChdb()
      return makeTarget([url], { database: DATABASE }, stop)
    },
  },
]

/** Returns the tables of a shared cluster, without rows. Stopping the target only closes connections. */
export async function targetOn({ urls, name }: Cluster): Promise<Target> {
  const target = await makeTarget(urls, { database: DATABASE, cluster: name }, async () => {})
  await target.clear()
  return target
}

export function connect(url: string, cluster?: string): Server {
  return connectServer({
    url,
    user: cluster === undefined ? 'default' : USER.name,
    password: cluster === undefined ? '' : USER.password,
    cluster,
  })
}

/** Connects to servers and creates the tables on each with `create`, by default those of the nine and an own source. */
export async function makeTarget(
  urls: readonly string[],
  location: TableLocation,
  stop: () => Promise<void>,
  create: (server: Server) => Promise<unknown> = (server) =>
    applySchema(server, location, { ownSources: [OWN_SOURCE] }),
): Promise<Target> {
  const isCluster = location.cluster !== undefined
  const servers = urls.map((url) => connect(url, location.cluster))
  for (const server of servers) await create(server)
  // Cases have a fixed time, which may be long ago for the clock of the server.
  const { isModern } = await askDialect(servers[0]!)
  const made = await servers[0]!.select(`SELECT name FROM system.tables WHERE database = '${location.database}'`)
  const names = new Set(made.map(([name]) => String(name)))
  for (const source of isModern ? NINE_AND_OWN.filter((name) => names.has(name)) : []) {
    await servers[0]!.command(`ALTER TABLE ${location.database}.${source} REMOVE TTL`)
  }
  return {
    location,
    url: urls[0]!,
    urls,
    servers,
    async open(options = {}) {
      const server = { ...servers[0]!, close: async () => {} }
      const parts = {
        clock: createFakeClock(),
        metrics: createMetrics(),
        files: createModelFiles(),
        directory: 'data',
        log: console.warn,
        connectShards: async () => ({ servers, close: async () => {} }),
      }
      const engine = createClickHouseEngine({
        server,
        location,
        timing: { settleMs: 10, firstWaitMs: 1 },
        ...parts,
        ...options,
      })
      await engine.recover()
      return engine
    },
    async clear(sources = NINE_AND_OWN) {
      for (const source of sources) {
        const table = isCluster ? shardTableName(source) : source
        await Promise.all(servers.map((server) => server.command(`TRUNCATE TABLE ${location.database}.${table}`)))
      }
    },
    async stop() {
      await Promise.all(servers.map((server) => server.close()))
      await stop()
    },
  }
}
