import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { applySchema, askDialect, nothingApplied } from '../../src/engine/clickhouse/schema/apply-schema.js'
import { tables } from '../../src/engine/clickhouse/schema/ddl.js'
import { shardTableName, type TableLocation } from '../../src/engine/clickhouse/schema/table-names.js'
import type { Server } from '../../src/engine/clickhouse/server/clickhouse-server.js'
import { run } from '../program/support/program.js'
import { NINE_AND_OWN, OWN_SOURCE } from '../support/own-source.js'
import { command } from './ask.js'
import { findChdb, startChdb, WHY_NO_CHDB } from './chdb.js'
import { findServer, sharedCluster, startCluster, USER, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { connect } from './targets.js'

const DATABASE = 'weir_schema'
const OWN = { ownSources: [OWN_SOURCE] }
const SOURCES = ['--sources', OWN_SOURCE]
const DOC = readFileSync(new URL('../../docs/scale-out.md', import.meta.url), 'utf8')

interface Started {
  urls: readonly string[]
  location: TableLocation
  stop(): Promise<void>
}

const KINDS = [
  {
    name: 'two shards of ClickHouse',
    found: findServer(),
    needed: 'clickhouse-server',
    why: WHY_NO_SERVER,
    async start(): Promise<Started> {
      const { urls, name } = await sharedCluster('own')
      return { urls, location: { database: DATABASE, cluster: name }, stop: async () => {} }
    },
  },
  {
    name: 'chdb',
    found: findChdb(),
    needed: 'chdb',
    why: WHY_NO_CHDB,
    async start(): Promise<Started> {
      const { url, stop } = await startChdb()
      return { urls: [url], location: { database: DATABASE }, stop }
    },
  },
]

for (const { name, found, needed, why, start } of KINDS) {
  describeWhere(found, needed, why, `the schema on ${name}`, () => {
    let started: Started
    let servers: Server[]
    let all: string[]
    const isOn = (table: string) => `${DATABASE}.${table}`
    /** Returns the part of a line that names the server of a cluster. */
    const at = (url = started.urls[0]!) => (started.location.cluster === undefined ? '' : ` at ${url}`)

    beforeAll(async () => {
      started = await start()
      servers = started.urls.map((url) => connect(url, started.location.cluster))
      all = tables(started.location, await askDialect(servers[0]!), OWN.ownSources).map(({ name }) => name)
    })
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.close()))
      await started.stop()
    })
    beforeEach(async () => {
      for (const server of servers) await server.command(`DROP DATABASE IF EXISTS ${DATABASE}`)
    })

    /** Returns the statements that create the tables of a server. */
    const statements = async (server = servers[0]!) => {
      const there = await server.select(`SELECT name FROM system.tables WHERE database = '${DATABASE}' ORDER BY name`)
      return Promise.all(
        there.map(async ([table]) => String((await server.select(`SHOW CREATE TABLE ${DATABASE}.${table}`))[0]![0])),
      )
    }
    const program = (...args: string[]) => {
      const { cluster } = started.location
      const flags = ['--clickhouse-url', started.urls[0]!, '--clickhouse-database', DATABASE]
      if (cluster !== undefined) flags.push('--clickhouse-cluster', cluster)
      return run(['schema', 'clickhouse', '--sources', OWN_SOURCE, ...flags, ...args])
    }

    it('is created where it is missing, and a second time changes nothing', async () => {
      for (const server of servers) {
        expect(await applySchema(server, started.location, OWN)).toEqual({
          ...nothingApplied(),
          created: all.map(isOn),
        })
      }
      const before = await statements()
      expect(before.length).toBe(all.length)
      for (const server of servers) {
        expect(await applySchema(server, started.location, OWN)).toEqual(nothingApplied())
      }
      expect(await statements()).toEqual(before)
    })

    it('is completed where a part of it is there, and rows stay', async () => {
      for (const server of servers) await applySchema(server, started.location, OWN)
      const stored = started.location.cluster === undefined ? 'auth_logs' : shardTableName('auth_logs')
      const nowUs = Date.now() * 1000
      await servers[0]!.command(`INSERT INTO ${DATABASE}.${stored} (timestamp, id) VALUES (${nowUs}, 'kept')`)
      await servers[0]!.command(`DROP TABLE ${DATABASE}.edge_logs`)
      expect(await applySchema(servers[0]!, started.location, OWN)).toEqual({
        ...nothingApplied(),
        created: [isOn('edge_logs')],
      })
      expect(await servers[0]!.select(`SELECT id FROM ${DATABASE}.${stored}`)).toEqual([['kept']])
    })

    it('names tables that are others, leaves them as they are, and creates the rest', async () => {
      await servers[0]!.command(`CREATE DATABASE ${DATABASE}`)
      await servers[0]!.command(`CREATE TABLE ${DATABASE}.edge_logs (timestamp Int64) ENGINE = Log`)
      const others = all.filter((table) => table !== 'edge_logs')
      const wrong = started.location.cluster === undefined ? 'auth_logs' : 'auth_logs_shard'
      const ddl = tables(started.location, await askDialect(servers[0]!), OWN.ownSources).find(
        ({ name }) => name === wrong,
      )!.ddl
      await servers[0]!.command(ddl.replace('event_message String', 'event_message Nullable(String)'))
      const engine = started.location.cluster === undefined ? 'MergeTree' : 'Distributed'
      const before = await statements()

      const { code, stdout, stderr } = await program('--apply')
      const created = others.filter((table) => table !== wrong).map((table) => `created ${isOn(table)}${at()}\n`)
      const elsewhere = started.urls.slice(1).flatMap((url) => all.map((table) => `created ${isOn(table)}${at(url)}\n`))
      const left = [
        `not changed, although it differs${at()}: ${isOn('edge_logs')} has the engine Log, not ${engine}\n`,
        `not changed, although it differs${at()}: ${isOn(wrong)} ` +
          'has the column event_message as Nullable(String), not String\n',
      ]
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
      expect(stdout.toString().match(/.*\n/g)!.sort()).toEqual([...created, ...left, ...elsewhere].sort())
      expect(await statements()).toEqual(expect.arrayContaining(before))
    })

    it('names a column that is not there', async () => {
      for (const server of servers) await applySchema(server, started.location, OWN)
      const stored = started.location.cluster === undefined ? 'edge_logs' : 'edge_logs_shard'
      await servers[0]!.command(`ALTER TABLE ${DATABASE}.${stored} DROP COLUMN url`)
      expect((await applySchema(servers[0]!, started.location, OWN)).differing).toEqual([
        `${isOn(stored)} lacks the column url: ` +
          `ALTER TABLE \`${DATABASE}\`.\`${stored}\` ADD COLUMN url Nullable(String)`,
      ])
    })

    it('gets the columns that an earlier version did not have, and names them', async () => {
      for (const server of servers) await applySchema(server, started.location, OWN)
      const stored = started.location.cluster === undefined ? 'auth_logs' : 'auth_logs_shard'
      const columns = () =>
        servers[0]!.select(
          'SELECT name, type, default_kind, default_expression FROM system.columns ' +
            `WHERE database = '${DATABASE}' AND table = '${stored}' ORDER BY name`,
        )
      const before = await columns()
      await servers[0]!.command(`ALTER TABLE ${DATABASE}.${stored} DROP COLUMN level, DROP COLUMN in_metadata`)
      const nowUs = Date.now() * 1000
      await servers[0]!.command(`INSERT INTO ${DATABASE}.${stored} (timestamp, id) VALUES (${nowUs}, 'old')`)
      const { code, stdout } = await program('--apply')
      expect({ code, lines: stdout.toString().split('\n') }).toEqual({
        code: 0,
        lines: [
          `added level, in_metadata to ${isOn(stored)}${at()}`,
          expect.stringMatching(
            /^rows stored before 20\S+Z have no values in added columns: queries read their metadata/,
          ),
          '',
        ],
      })
      expect(await servers[0]!.select(`SELECT id, level, in_metadata FROM ${DATABASE}.${stored}`)).toEqual([
        ['old', null, 2 ** 32 - 1],
      ])
      expect(await columns()).toEqual(before)
      expect((await program('--apply')).stdout.toString()).toBe('nothing was missing\n')
    })

    it('is not changed if a column of an earlier version has another type', async () => {
      for (const server of servers) await applySchema(server, started.location, OWN)
      const stored = started.location.cluster === undefined ? 'auth_logs' : 'auth_logs_shard'
      await servers[0]!.command(`ALTER TABLE ${DATABASE}.${stored} DROP COLUMN level, DROP COLUMN in_metadata`)
      await servers[0]!.command(`ALTER TABLE ${DATABASE}.${stored} ADD COLUMN level String`)
      expect(await applySchema(servers[0]!, started.location, OWN)).toEqual({
        ...nothingApplied(),
        differing: [`${isOn(stored)} has the column level as String, not ${await typeOfLevel()}`],
      })
    })

    const typeOfLevel = async () =>
      (await askDialect(servers[0]!)).isModern ? 'LowCardinality(Nullable(String))' : 'Nullable(String)'

    it('forgets as docs/scale-out.md says', async () => {
      for (const server of servers) await applySchema(server, started.location, OWN)
      const { isModern } = await askDialect(servers[0]!)
      const suffix = started.location.cluster === undefined ? '' : '_shard'
      const [ttl, list, drop] = [...DOC.matchAll(/^\s*((?:ALTER|SELECT).*logweir.*)$/gm)].map(([, sql]) =>
        sql!.replaceAll('logweir', DATABASE).replace(/(edge_logs)(_shard)?/, `$1${suffix}`),
      ) as [string, string, string]
      if (isModern) {
        await servers[0]!.command(ttl)
        expect((await statements()).join()).toContain('toIntervalDay(30)')
        await servers[0]!.command(`ALTER TABLE ${DATABASE}.edge_logs${suffix} REMOVE TTL`)
      }
      const today = Math.floor(Date.now() / 86_400_000)
      for (const day of [20_000, today - 91, today - 90, today]) {
        const timestamp = BigInt(day) * 86_400_000_000n
        await servers[0]!.command(`INSERT INTO ${DATABASE}.edge_logs${suffix} (timestamp) VALUES (${timestamp})`)
      }
      const days = async () => (await servers[0]!.select(list)).map(([day]) => Number(day)).sort()
      expect(await days()).toEqual([20_000, today - 91])
      await servers[0]!.command(drop)
      expect(await days()).toEqual([today - 91])
    })

    it('is printed as statements that the server takes, and creates just what is missing', async () => {
      const { code, stdout } = await program()
      expect(code).toBe(0)
      for (const server of servers) {
        for (const statement of stdout.toString().split(';\n').slice(0, -1)) await server.command(statement)
      }
      expect(await applySchema(servers[0]!, started.location, OWN)).toEqual(nothingApplied())
      expect((await program('--apply')).stdout.toString()).toBe('nothing was missing\n')
      for (const source of NINE_AND_OWN) await servers[0]!.command(`DROP TABLE ${DATABASE}.${source}`)
      const again = await program('--apply')
      expect(again.code).toBe(0)
      expect(again.stdout.toString()).toBe(NINE_AND_OWN.map((source) => `created ${isOn(source)}${at()}\n`).join(''))
    })
  })
}

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'schema clickhouse --apply on a cluster', () => {
  const flags = (url: string, cluster: string) => ['--clickhouse-url', url, '--clickhouse-cluster', cluster]
  const environment = { LOGWEIR_CLICKHOUSE_USER: USER.name, LOGWEIR_CLICKHOUSE_PASSWORD: USER.password }
  const apply = async (url: string, cluster: string) => {
    const { code, stdout, stderr } = await run(
      ['schema', 'clickhouse', '--apply', ...SOURCES, ...flags(url, cluster)],
      {
        environment,
      },
    )
    return { code, stderr, lines: stdout.toString().split('\n').slice(0, -1) }
  }
  const TABLES = 2 * NINE_AND_OWN.length
  /** Returns a shared cluster without tables. */
  async function emptyCluster() {
    const cluster = await sharedCluster('own')
    for (const url of cluster.urls) await command(url, 'DROP DATABASE IF EXISTS logweir')
    return cluster
  }

  it('creates the tables on every shard, so that all are written and asked at once', async () => {
    const { urls, name } = await emptyCluster()
    const { code, stderr, lines } = await apply(urls[0]!, name)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const url of urls) expect(lines.filter((line) => line.endsWith(` at ${url}`))).toHaveLength(TABLES)
    for (const url of urls) {
      expect(await apply(url, name)).toEqual({ code: 0, stderr: '', lines: ['nothing was missing'] })
      const server = connect(url, name)
      expect(await server.select('SELECT count() FROM logweir.edge_logs')).toEqual([['0']])
      await server.close()
    }
  })

  it('names the shards that it could not reach, until they have their tables', async () => {
    const { urls, name, stop } = await startCluster('same')
    onTestFinished(stop)
    const first = await apply(urls[0]!, name)
    expect([first.code, first.stderr, first.lines.length]).toEqual([1, '', TABLES + 1])
    expect(first.lines.at(-1)).toBe(
      `tables or columns may be missing on shard 2, which could not be reached at ${urls[0]}: shard 1 answers there. ` +
        `Run with its address: logweir schema clickhouse --apply --sources ${OWN_SOURCE} ` +
        `--clickhouse-cluster ${name} --clickhouse-url http://HOST:PORT`,
    )
    expect((await apply(urls[1]!, name)).code).toBe(0)
    expect(await apply(urls[0]!, name)).toEqual({ code: 0, stderr: '', lines: ['nothing was missing'] })
  })

  it('adds columns to the tables of all shards before it adds them to those over them', async () => {
    const { urls, name, stop } = await startCluster('same')
    onTestFinished(stop)
    for (const url of urls) await apply(url, name)
    const servers = urls.map((url) => connect(url, name))
    for (const server of servers) {
      for (const table of ['auth_logs', 'auth_logs_shard'])
        await server.command(`ALTER TABLE logweir.${table} DROP COLUMN level`)
    }
    const lacking = `not changed before the tables of all shards have its columns at ${urls[0]}: logweir.auth_logs`
    const first = await apply(urls[0]!, name)
    expect([first.code, first.lines.slice(0, 2)]).toEqual([
      1,
      [`added level to logweir.auth_logs_shard at ${urls[0]}`, lacking],
    ])
    const insert = "INSERT INTO logweir.auth_logs (project, level) VALUES ('a', 'x'), ('b', 'x'), ('c', 'x')"
    await expect(servers[0]!.command(insert)).rejects.toMatchObject({ code: 16 })
    // The table over all shards of the first server lacks the column still.
    const second = await apply(urls[1]!, name)
    expect([second.code, second.lines.slice(0, 2)]).toEqual([
      1,
      ['_shard', ''].map((end) => `added level to logweir.auth_logs${end} at ${urls[1]}`),
    ])
    const third = await apply(urls[0]!, name)
    expect([third.code, third.lines[0]]).toEqual([0, `added level to logweir.auth_logs at ${urls[0]}`])
    expect(await apply(urls[1]!, name)).toEqual({ code: 0, stderr: '', lines: ['nothing was missing'] })
    for (const server of servers) await server.command(insert)
    await Promise.all(servers.map((server) => server.close()))
  })

  it('names a shard that is away, and has the tables on the others', async () => {
    const { urls, name, kill, start } = await emptyCluster()
    await kill(1)
    onTestFinished(() => start(1))
    const { code, lines } = await apply(urls[0]!, name)
    expect([code, lines.length]).toEqual([1, TABLES + 1])
    expect(lines.at(-1)).toMatch(
      /^tables or columns may be missing on shard 2, which could not be reached at \S+: .*ECONNREFUSED/,
    )
  })
})

it('a server that is away is said, and the exit code is that of a failure', async () => {
  const url = 'http://127.0.0.1:9'
  const { code, stdout, stderr } = await run(['schema', 'clickhouse', '--apply', '--clickhouse-url', url])
  expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^logweir: .*ECONNREFUSED.*\n$/)
})
